#include "analysis/ast/StridedLoops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

/// The factors and special registers behind constant variables and casts: `blockIdx.x * blockDim.x +
/// threadIdx.x` whatever it is called.
const Expr *resolved(const Expr *expression, const VariableChanges &function) {
  while (true) {
    expression = expression->IgnoreParenCasts();
    if (const auto *functional = llvm::dyn_cast<clang::ExprWithCleanups>(expression)) {
      expression = functional->getSubExpr();
      continue;
    }
    const VarDecl *variable = namedVariable(expression);
    bool known = variable && variable->isLocalVarDecl() && !variable->isStaticLocal() &&
                 variable->getInit() && function.isConstant(variable) && variable->getType()->isIntegerType();
    if (!known)
      return expression;
    expression = variable->getInit();
  }
}

bool isSpecial(const Expr *expression, const VariableChanges &function, llvm::StringRef name) {
  return specialRegister(resolved(expression, function)) == name;
}

/// blockDim.x, or the number that it is.
bool isBlock(const Expr *expression, const VariableChanges &function, std::optional<int64_t> block) {
  const Expr *plain = resolved(expression, function);
  if (specialRegister(plain) == "blockDim.x")
    return true;
  Expr::EvalResult value;
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(plain);
  const clang::ASTContext *ast = nullptr;
  if (reference)
    ast = &reference->getDecl()->getASTContext();
  if (const auto *literal = llvm::dyn_cast<clang::IntegerLiteral>(plain))
    return block && literal->getValue() == static_cast<uint64_t>(*block);
  return block && ast && !plain->isValueDependent() && plain->EvaluateAsInt(value, *ast) &&
         value.Val.getInt() == *block;
}

/// Blocks or grids of the register times the threads of a block.
bool isThreadsOf(const Expr *expression, const VariableChanges &function, llvm::StringRef name,
                 std::optional<int64_t> block) {
  const auto *product = llvm::dyn_cast<clang::BinaryOperator>(resolved(expression, function));
  if (!product || product->getOpcode() != clang::BO_Mul)
    return false;
  auto both = [&](const Expr *left, const Expr *right) {
    return isSpecial(left, function, name) && isBlock(right, function, block);
  };
  return both(product->getLHS(), product->getRHS()) || both(product->getRHS(), product->getLHS());
}

bool isGridThread(const Expr *expression, const VariableChanges &function, std::optional<int64_t> block) {
  const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(resolved(expression, function));
  if (!sum || sum->getOpcode() != clang::BO_Add)
    return false;
  auto both = [&](const Expr *blocks, const Expr *thread) {
    return isThreadsOf(blocks, function, "blockIdx.x", block) && isSpecial(thread, function, "threadIdx.x");
  };
  return both(sum->getLHS(), sum->getRHS()) || both(sum->getRHS(), sum->getLHS());
}

class ElementFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  ElementFinder(const CanonicalLoop &loop, std::vector<CountedElement> &elements)
      : loop_(loop), elements_(elements) {}

  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *subscript) override {
    CountedElement element;
    element.subscript = subscript;
    element.base = namedVariable(subscript->getBase());
    unsigned counters = 0;
    if (element.base && loop_.changes.isConstant(element.base) &&
        readSum(subscript->getIdx(), element, counters) && counters == 1)
      elements_.push_back(std::move(element));
    return true;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }

private:
  bool readSum(const Expr *expression, CountedElement &element, unsigned &counters) const {
    const Expr *plain = expression->IgnoreParenImpCasts();
    if (namedVariable(plain) == loop_.counter) {
      ++counters;
      return true;
    }
    if (const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(plain);
        sum && sum->getOpcode() == clang::BO_Add)
      return readSum(sum->getLHS(), element, counters) && readSum(sum->getRHS(), element, counters);
    if (const auto *remainder = llvm::dyn_cast<clang::BinaryOperator>(plain);
        remainder && remainder->getOpcode() == clang::BO_Rem &&
        namedVariable(remainder->getLHS()) == loop_.counter && isFixed(remainder->getRHS())) {
      ++counters;
      element.modulus = remainder->getRHS();
      return true;
    }
    if (!isFixed(plain))
      return false;
    element.terms.push_back(plain);
    return true;
  }

  /// Nothing in it is changed by the loop, declared in it, or loaded.
  bool isFixed(const clang::Stmt *code) const {
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(code)) {
      const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
      if (variable == loop_.counter)
        return false;
      return !variable || (loop_.changes.isConstant(variable) && !isInside(*variable));
    }
    if (llvm::isa<clang::ArraySubscriptExpr>(code))
      return false;
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(code);
        unary && (unary->getOpcode() == clang::UO_Deref || unary->isIncrementDecrementOp()))
      return false;
    if (llvm::isa<clang::PseudoObjectExpr>(code))
      return true;
    if (llvm::isa<clang::CallExpr>(code))
      return false;
    return llvm::all_of(code->children(), [&](const clang::Stmt *child) { return !child || isFixed(child); });
  }

  bool isInside(const VarDecl &variable) const {
    const clang::SourceManager &sources = variable.getASTContext().getSourceManager();
    return sources.isPointWithin(variable.getLocation(), loop_.statement->getBeginLoc(),
                                 loop_.statement->getEndLoc());
  }

  const CanonicalLoop &loop_;
  std::vector<CountedElement> &elements_;
};

} // namespace

std::string specialRegister(const Expr *expression) {
  const auto *pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(expression);
  const auto *property =
      pseudo ? llvm::dyn_cast<clang::MSPropertyRefExpr>(pseudo->getSyntacticForm()) : nullptr;
  if (!property)
    return {};
  const Expr *object = property->getBaseExpr()->IgnoreParenImpCasts();
  if (const auto *opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(object))
    object = opaque->getSourceExpr()->IgnoreParenImpCasts();
  const auto *base = llvm::dyn_cast<clang::DeclRefExpr>(object);
  return base ? (base->getDecl()->getName() + "." + property->getPropertyDecl()->getName()).str() : "";
}

LoopSharing sharingOf(const CanonicalLoop &loop, const VariableChanges &function, bool flatBlock,
                      bool flatGrid, std::optional<int64_t> block) {
  if (!loop.upward || loop.inclusive || loop.notEqual)
    return LoopSharing::Other;
  const auto *zero = llvm::dyn_cast<clang::IntegerLiteral>(resolved(loop.init, function));
  if (loop.constantStep == 1 && zero && zero->getValue() == 0)
    return LoopSharing::Own;
  if (!loop.step || !flatBlock)
    return LoopSharing::Other;
  if (isSpecial(loop.init, function, "threadIdx.x") && isBlock(loop.step, function, block))
    return LoopSharing::Block;
  if (flatGrid && isGridThread(loop.init, function, block) &&
      isThreadsOf(loop.step, function, "gridDim.x", block))
    return LoopSharing::Grid;
  return LoopSharing::Other;
}

bool isThreadOfGrid(const Expr &expression, const VariableChanges &function, std::optional<int64_t> block) {
  return isGridThread(&expression, function, block);
}

std::vector<CountedElement> findCountedElements(const CanonicalLoop &loop) {
  std::vector<CountedElement> elements;
  ElementFinder(loop, elements).TraverseStmt(loop.body);
  return elements;
}

namespace {

class UniformChecker : public clang::ConstDynamicRecursiveASTVisitor {
public:
  UniformChecker(const VariableChanges &function, bool overGrid) : function_(function), overGrid_(overGrid) {}
  bool uniform = true;

  bool VisitPseudoObjectExpr(const clang::PseudoObjectExpr *pseudo) override {
    const std::string special = specialRegister(pseudo);
    llvm::StringRef name = special;
    bool differs = name.starts_with("threadIdx") || (overGrid_ && name.starts_with("blockIdx"));
    return !differs || stop();
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (!variable || variable->getName() == "blockIdx" || variable->getName() == "blockDim" ||
        variable->getName() == "gridDim" || variable->getName() == "threadIdx")
      return true;
    // Its contents are the same for all who read the same place.
    if (variable->hasAttr<clang::CUDASharedAttr>())
      return !overGrid_ || stop();
    if (!variable->isLocalVarDeclOrParm())
      return true;
    if (llvm::isa<clang::ParmVarDecl>(variable))
      return function_.isConstant(variable) || stop();
    if (!function_.isConstant(variable) || !variable->getInit() || depth_ > 16)
      return stop();
    ++depth_;
    TraverseStmt(variable->getInit());
    --depth_;
    return uniform;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return stop();
    llvm::StringRef name = callee->getDeclName().isIdentifier() ? callee->getName() : "";
    bool special = name.starts_with("__fetch_builtin");
    bool exchange = name.starts_with("__shfl") || name.starts_with("__ballot") || name.starts_with("__any") ||
                    name.starts_with("__all") || name.starts_with("__match") ||
                    name.starts_with("__reduce") || name.starts_with("__active") ||
                    name.starts_with("atomic") || name.starts_with("clock");
    bool system = callee->getASTContext().getSourceManager().isInSystemHeader(callee->getLocation()) ||
                  callee->getBuiltinID() != 0;
    return special || (system && !exchange) || stop();
  }

private:
  bool stop() {
    uniform = false;
    return false;
  }
  const VariableChanges &function_;
  bool overGrid_;
  unsigned depth_ = 0;
};

} // namespace

bool isUniform(const Expr &expression, const VariableChanges &function, bool overGrid) {
  UniformChecker checker(function, overGrid);
  checker.TraverseStmt(&expression);
  return checker.uniform;
}

} // namespace warpwright
