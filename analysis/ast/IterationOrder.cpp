#include "analysis/ast/IterationOrder.h"

#include "analysis/annotation/Annotation.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

constexpr unsigned deepestVariable = 16; ///< variables that are initialised with variables

bool isInside(const VarDecl &variable, const clang::Stmt &code) {
  const clang::SourceManager &sources = variable.getASTContext().getSourceManager();
  return sources.isPointWithin(variable.getLocation(), code.getBeginLoc(), code.getEndLoc());
}

class SlopeReader {
public:
  explicit SlopeReader(const CanonicalLoop &loop) : loop_(loop) {}

  std::optional<int64_t> read(const Expr *expression) {
    if (const auto *full = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
      expression = full->getSubExpr();
    expression = expression->IgnoreParenCasts();
    if (++depth_ > deepestVariable)
      return std::nullopt;
    std::optional<int64_t> slope = readPlain(expression);
    --depth_;
    return slope;
  }

private:
  std::optional<int64_t> readPlain(const Expr *expression) {
    if (llvm::isa<clang::PseudoObjectExpr>(expression))
      return 0;
    if (const VarDecl *variable = namedVariable(expression))
      return readVariable(*variable);
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
      return readBinary(*binary);
    if (llvm::isa<clang::ArraySubscriptExpr>(expression))
      return std::nullopt;
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
      std::optional<int64_t> inner = read(unary->getSubExpr());
      if (unary->getOpcode() == clang::UO_Minus)
        return inner ? std::optional(-*inner) : std::nullopt;
      return unary->getOpcode() == clang::UO_Plus || (unary->isArithmeticOp() && inner == 0) ? inner
                                                                                             : std::nullopt;
    }
    return isFixed(expression) ? std::optional<int64_t>(0) : std::nullopt;
  }

  std::optional<int64_t> readVariable(const VarDecl &variable) {
    if (&variable == loop_.counter)
      return 1;
    if (variable.getType().isConstant(variable.getASTContext()) && !isInside(variable, *loop_.statement))
      return 0;
    if (!variable.isLocalVarDeclOrParm() || variable.isStaticLocal() || !loop_.changes.isConstant(&variable))
      return std::nullopt;
    if (!isInside(variable, *loop_.statement))
      return 0;
    return variable.getInit() ? read(variable.getInit()) : std::nullopt;
  }

  std::optional<int64_t> readBinary(const clang::BinaryOperator &binary) {
    std::optional<int64_t> left = read(binary.getLHS()), right = read(binary.getRHS());
    if (!left || !right || binary.isAssignmentOp())
      return std::nullopt;
    if (binary.getOpcode() == clang::BO_Add)
      return *left + *right;
    if (binary.getOpcode() == clang::BO_Sub)
      return *left - *right;
    if (*left == 0 && *right == 0)
      return 0;
    const clang::ASTContext &ast = loop_.counter->getASTContext();
    Expr::EvalResult value;
    const Expr *factor = *left == 0 ? binary.getLHS() : binary.getRHS();
    bool isProduct = binary.getOpcode() == clang::BO_Mul && (*left == 0 || *right == 0) &&
                     !factor->isValueDependent() && factor->EvaluateAsInt(value, ast);
    std::optional<int64_t> constant = isProduct ? value.Val.getInt().tryExtValue() : std::nullopt;
    // Slopes stay where products of two of them cannot overflow.
    constexpr int64_t limit = int64_t(1) << 30;
    int64_t slope = *left + *right;
    if (!constant || std::abs(*constant) > limit || std::abs(slope) > limit)
      return std::nullopt;
    return slope * *constant;
  }

  /// Nothing in it moves, and nothing is loaded or called.
  bool isFixed(const clang::Stmt *code) {
    if (llvm::isa<clang::CallExpr, clang::ArraySubscriptExpr>(code))
      return false;
    return llvm::all_of(code->children(), [&](const clang::Stmt *child) {
      const auto *expression = llvm::dyn_cast_or_null<Expr>(child);
      return expression && read(expression) == 0;
    });
  }

  const CanonicalLoop &loop_;
  unsigned depth_ = 0;
};

class OrderReader {
public:
  OrderReader(const CanonicalLoop &loop, const PlaceReader &reader, const Annotation &annotation,
              const clang::ASTContext &ast)
      : loop_(loop), reader_(reader), annotation_(annotation), ast_(ast) {}

  IterationOrder run() {
    CodeUses uses = reader_.usesOf(*loop_.body);
    if (!uses.others.empty())
      result_.whyNot = "it calls what may do anything, or waits for other threads";
    else if (uses.leaves)
      result_.whyNot = "it is left early";
    else if (!loop_.declaresCounter)
      result_.whyNot = "its counter is seen outside";
    if (result_.whyNot.empty())
      result_.whyNot = whyNotVariables();
    if (result_.whyNot.empty())
      result_.whyNot = whyNotPlaces(uses);
    return std::move(result_);
  }

private:
  std::string whyNotVariables() {
    for (const VarDecl *variable : loop_.changes.changed()) {
      if (isInside(*variable, *loop_.statement))
        continue;
      if (!variable->isLocalVarDeclOrParm() || variable->isStaticLocal() ||
          variable->getType()->isArrayType() || variable->getType()->isReferenceType() ||
          variable->hasAttr<clang::CUDASharedAttr>())
        continue; // a place
      std::optional<LoopReduction> reduction = reductionOf(loop_, *variable);
      if (!reduction)
        return "'" + variable->getNameAsString() + "' goes from one iteration to the next";
      result_.reductions.push_back(std::move(*reduction));
    }
    llvm::sort(result_.reductions, [](const LoopReduction &left, const LoopReduction &right) {
      return left.variable->getLocation() < right.variable->getLocation();
    });
    return {};
  }

  std::string whyNotPlaces(const CodeUses &uses) {
    for (const PlaceUse &use : uses.places) {
      bool isPrivate = use.root.isOnChip() && isInside(*use.root.variable, *loop_.statement) &&
                       use.root.variable->isLocalVarDecl() && !use.root.variable->isStaticLocal() &&
                       use.root.variable->getStorageDuration() == clang::SD_Automatic;
      if (use.isVolatile)
        return "it accesses volatile memory";
      if (!use.writes() || isPrivate)
        continue;
      std::string name =
          use.root.known() ? "'" + use.root.name() + "'" : "memory that is not tied to a buffer";
      if (use.kind == PlaceUse::Kind::Escape)
        return "a pointer into " + name + " goes elsewhere";
      const clang::ArraySubscriptExpr *own = use.root.known() ? ownElement(use.place, loop_) : nullptr;
      if (!own)
        return "two iterations may write the same element of " + name;
      for (const PlaceUse &other : uses.places) {
        if (!mayOverlap(use.root, other.root, annotation_, result_.assumptions))
          continue;
        const clang::ArraySubscriptExpr *element = ownElement(other.place, loop_);
        if (!element || !areAlike(element, own, ast_))
          return "one iteration may write what another reads or writes of " + name;
      }
    }
    return {};
  }

  const CanonicalLoop &loop_;
  const PlaceReader &reader_;
  const Annotation &annotation_;
  const clang::ASTContext &ast_;
  IterationOrder result_;
};

} // namespace

std::optional<int64_t> slopeOf(const Expr *expression, const CanonicalLoop &loop) {
  return SlopeReader(loop).read(expression);
}

const clang::ArraySubscriptExpr *ownElement(const Expr *place, const CanonicalLoop &loop) {
  place = place->IgnoreParenImpCasts();
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(place); member && !member->isArrow())
    return ownElement(member->getBase(), loop);
  const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place);
  if (!subscript)
    return nullptr;
  const Expr *base = subscript->getBase()->IgnoreParenImpCasts();
  // The outer index of an array of arrays: different rows, whatever the columns are.
  if (const clang::ArraySubscriptExpr *row =
          base->getType()->isArrayType() ? ownElement(base, loop) : nullptr)
    return row;
  std::optional<int64_t> slope = slopeOf(subscript->getIdx(), loop);
  if (!slope || *slope == 0)
    return nullptr;
  for (const VarDecl *variable : variablesIn(base))
    if (variable == loop.counter || !loop.changes.isConstant(variable) ||
        isInside(*variable, *loop.statement))
      return variable->getType()->isArrayType() && !isInside(*variable, *loop.statement) ? subscript
                                                                                         : nullptr;
  return subscript;
}

IterationOrder readIterationOrder(const CanonicalLoop &loop, const PlaceReader &reader,
                                  const Annotation &annotation, const clang::ASTContext &ast) {
  return OrderReader(loop, reader, annotation, ast).run();
}

} // namespace warpwright
