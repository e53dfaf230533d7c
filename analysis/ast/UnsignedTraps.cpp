#include "analysis/ast/UnsignedTraps.h"

#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/SpecialRegisters.h"
#include "analysis/ast/VariableUses.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>

#include <set>

namespace warpwright {
namespace {

const clang::VarDecl *variableIn(const clang::Expr &expression) {
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

/// A difference that the whole value comes from, not one inside of an index or an argument.
bool subtracts(const clang::Expr &expression) {
  const clang::Expr *value = expression.IgnoreParenImpCasts();
  if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(value))
    return subtracts(*cast->getSubExpr());
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(value);
  if (!binary || !llvm::is_contained({clang::BO_Add, clang::BO_Sub, clang::BO_Mul}, binary->getOpcode()))
    return false;
  return binary->getOpcode() == clang::BO_Sub || subtracts(*binary->getLHS()) || subtracts(*binary->getRHS());
}

/// The order of a comparison as if written with `<` or `<=`, the smaller operand first.
struct Order {
  const clang::Expr *less = nullptr;
  const clang::Expr *more = nullptr;
  bool orEqual = false;
};

std::optional<Order> orderOf(const clang::BinaryOperator &binary) {
  switch (binary.getOpcode()) {
  case clang::BO_LT:
    return Order{binary.getLHS(), binary.getRHS(), false};
  case clang::BO_LE:
    return Order{binary.getLHS(), binary.getRHS(), true};
  case clang::BO_GT:
    return Order{binary.getRHS(), binary.getLHS(), false};
  case clang::BO_GE:
    return Order{binary.getRHS(), binary.getLHS(), true};
  default:
    return std::nullopt;
  }
}

class TrapFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  TrapFinder(const clang::FunctionDecl &kernel)
      : ast_(kernel.getASTContext()), uses_(*kernel.getBody()),
        isTemplate_(kernel.isTemplateInstantiation()) {}

  std::vector<UnsignedTrap> finish() {
    llvm::erase_if(traps_, [&](const UnsignedTrap &trap) {
      return trap.isMixed ? comparedWithZero_.contains(trap.what) : bounded_.contains(trap.what);
    });
    return std::move(traps_);
  }

  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    if (unary->isDecrementOp())
      if (const clang::VarDecl *variable = variableIn(*unary->getSubExpr()))
        lowered_.insert(variable);
    return true;
  }

  bool TraverseForStmt(const clang::ForStmt *loop) override {
    // What the loop's end does is needed before its condition is read.
    TraverseStmt(loop->getInit());
    TraverseStmt(loop->getInc());
    return ofLoop(loop->getCond()) && inside(loop->getBody());
  }
  bool TraverseWhileStmt(const clang::WhileStmt *loop) override {
    return inside(loop->getBody()) && ofLoop(loop->getCond());
  }
  bool TraverseDoStmt(const clang::DoStmt *loop) override {
    return inside(loop->getBody()) && ofLoop(loop->getCond());
  }
  bool TraverseIfStmt(const clang::IfStmt *branch) override {
    return TraverseStmt(branch->getInit()) && TraverseStmt(branch->getCond()) && inside(branch->getThen()) &&
           inside(branch->getElse());
  }
  bool TraverseConditionalOperator(const clang::ConditionalOperator *choice) override {
    return TraverseStmt(choice->getCond()) && inside(choice->getTrueExpr()) && inside(choice->getFalseExpr());
  }
  bool VisitReturnStmt(const clang::ReturnStmt *) override {
    returned_ = true;
    return true;
  }
  bool TraverseBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->isLogicalOp())
      return TraverseStmt(binary->getLHS()) && inside(binary->getRHS());
    if (std::optional<Order> order = orderOf(*binary))
      compare(*binary, *order);
    return TraverseStmt(binary->getLHS()) && TraverseStmt(binary->getRHS());
  }

private:
  bool inside(const clang::Stmt *statement) {
    ++conditions_;
    bool going = TraverseStmt(statement);
    --conditions_;
    return going;
  }

  bool ofLoop(const clang::Expr *condition) {
    loopCondition_ = condition ? condition->IgnoreParenImpCasts() : nullptr;
    return TraverseStmt(condition);
  }

  std::string textOf(const clang::Expr &expression) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    auto range = clang::CharSourceRange::getTokenRange(
        sources.getExpansionRange(expression.getSourceRange()).getAsRange());
    return clang::Lexer::getSourceText(range, sources, ast_.getLangOpts()).str();
  }

  bool isZero(const clang::Expr &expression) const {
    const auto *literal = llvm::dyn_cast<clang::IntegerLiteral>(expression.IgnoreParenImpCasts());
    return literal && literal->getValue() == 0;
  }

  void compare(const clang::BinaryOperator &binary, const Order &order) {
    if (isZero(*order.more) || isZero(*order.less))
      comparedWithZero_.insert(textOf(*(isZero(*order.more) ? order.less : order.more)));
    else
      bounded_.insert(textOf(*order.less));
    if (isZero(*order.more) && !order.orEqual)
      withZero(binary, *order.less, /*alwaysTrue=*/false);
    else if (isZero(*order.less) && order.orEqual)
      withZero(binary, *order.more, /*alwaysTrue=*/true);
    else
      mixed(binary, order);
  }

  UnsignedTrap &add(const clang::BinaryOperator &binary, const clang::Expr &operand) {
    UnsignedTrap &trap = traps_.emplace_back();
    trap.place = placeOf(binary.getOperatorLoc(), ast_.getSourceManager());
    trap.what = textOf(operand);
    return trap;
  }

  void withZero(const clang::BinaryOperator &binary, const clang::Expr &operand, bool alwaysTrue) {
    if (isTemplate_ || !operand.getType()->isUnsignedIntegerType())
      return;
    const clang::VarDecl *variable = variableIn(operand);
    bool below = subtracts(operand) ||
                 (variable &&
                  (lowered_.contains(variable) || (variable->getInit() && subtracts(*variable->getInit()))));
    if (!below)
      return;
    UnsignedTrap &trap = add(binary, operand);
    trap.alwaysTrue = alwaysTrue;
    trap.endsLoop = alwaysTrue && loopCondition_ == &binary;
  }

  /// The number that thread 0 has of `int i = threadIdx.x - 2`: -2.
  std::optional<long long> belowZero(const clang::VarDecl &variable) const {
    if (!variable.getType()->isSignedIntegerType() || !variable.getInit() || !uses_.isOnlyRead(variable))
      return std::nullopt;
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(variable.getInit()->IgnoreParenCasts());
    clang::Expr::EvalResult amount;
    if (!binary || binary->getOpcode() != clang::BO_Sub || binary->getRHS()->isValueDependent() ||
        !binary->getRHS()->EvaluateAsInt(amount, ast_))
      return std::nullopt;
    auto what = specialRegisterOf(*binary->getLHS()->IgnoreParenCasts());
    if (!what || (what->first != SymbolKind::ThreadIndex && what->first != SymbolKind::BlockIndex))
      return std::nullopt;
    long long less = amount.Val.getInt().getExtValue();
    return less > 0 && less < (1 << 20) ? std::optional(-less) : std::nullopt;
  }

  void mixed(const clang::BinaryOperator &binary, const Order &order) {
    if (conditions_ != 0 || returned_)
      return;
    for (auto [operand, other] : {std::pair(order.less, order.more), std::pair(order.more, order.less)}) {
      const clang::VarDecl *variable = variableIn(*operand);
      if (!variable || !operand->getType()->isUnsignedIntegerType())
        continue;
      std::optional<long long> negative = belowZero(*variable);
      if (!negative)
        continue;
      UnsignedTrap &trap = add(binary, *operand);
      trap.isMixed = true;
      trap.other = textOf(*other);
      trap.negative = *negative;
    }
  }

  clang::ASTContext &ast_;
  VariableUses uses_;
  bool isTemplate_;
  unsigned conditions_ = 0; ///< that the code is under
  bool returned_ = false;   ///< some threads may have left
  const clang::Expr *loopCondition_ = nullptr;
  std::set<const clang::VarDecl *> lowered_;
  std::set<std::string> bounded_;          ///< operands with an upper bound
  std::set<std::string> comparedWithZero_; ///< operands
  std::vector<UnsignedTrap> traps_;
};

} // namespace

std::vector<UnsignedTrap> findUnsignedTraps(const clang::FunctionDecl &kernel) {
  if (!kernel.getBody())
    return {};
  TrapFinder finder(kernel);
  finder.TraverseStmt(kernel.getBody());
  return finder.finish();
}

} // namespace warpwright
