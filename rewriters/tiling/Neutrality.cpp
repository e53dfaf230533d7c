#include "rewriters/tiling/Neutrality.h"

#include "analysis/ast/VariableChanges.h"

#include <clang/AST/Expr.h>
#include <clang/AST/StmtCXX.h>

namespace warpwright {
namespace {

constexpr unsigned deepest = 16;

class Judge {
public:
  explicit Judge(llvm::function_ref<bool(const clang::Expr &)> isZero) : isZero_(isZero) {}

  Neutrality vanishes(const clang::Expr &expression, unsigned depth = 0) {
    const clang::Expr *inner = expression.IgnoreParenImpCasts();
    if (isZero_(*inner))
      return {true};
    if (depth > deepest)
      return {};
    if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(inner))
      return vanishes(*cast->getSubExpr(), depth + 1);
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(inner))
      return unary->getOpcode() == clang::UO_Minus || unary->getOpcode() == clang::UO_Plus
                 ? vanishes(*unary->getSubExpr(), depth + 1)
                 : Neutrality();
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      bool isLocal = variable && variable->isLocalVarDecl() && variable->getInit() &&
                     variable->getType()->isArithmeticType();
      return isLocal ? vanishes(*variable->getInit(), depth + 1) : Neutrality();
    }
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
    if (!binary)
      return {};
    if (binary->getOpcode() == clang::BO_Mul)
      return product(*binary->getLHS(), *binary->getRHS(), depth + 1);
    Neutrality left = vanishes(*binary->getLHS(), depth + 1), right = vanishes(*binary->getRHS(), depth + 1);
    if (binary->getOpcode() == clang::BO_Add || binary->getOpcode() == clang::BO_Sub)
      return both(left, right);
    return {};
  }

  Neutrality product(const clang::Expr &one, const clang::Expr &other, unsigned depth = 0) {
    Neutrality left = vanishes(one, depth), right = vanishes(other, depth);
    if (left.isNeutral && right.isNeutral)
      return both(left, right);
    if (!left.isNeutral && !right.isNeutral)
      return {};
    // Zero times infinity is no zero.
    Neutrality result = left.isNeutral ? left : right;
    if (one.getType()->isFloatingType())
      result.finite.push_back(left.isNeutral ? &other : &one);
    return result;
  }

  static Neutrality both(Neutrality left, const Neutrality &right) {
    left.isNeutral &= right.isNeutral;
    left.finite.insert(left.finite.end(), right.finite.begin(), right.finite.end());
    return left;
  }

private:
  llvm::function_ref<bool(const clang::Expr &)> isZero_;
};

} // namespace

Neutrality neutralityOf(const clang::Stmt &statement, llvm::function_ref<bool(const clang::Expr &)> isZero) {
  if (llvm::isa<clang::DeclStmt>(statement))
    return {true};
  const auto *expression = llvm::dyn_cast<clang::Expr>(&statement);
  const auto *binary =
      expression ? llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParenImpCasts()) : nullptr;
  if (!binary)
    return {};
  Judge judge(isZero);
  if (binary->getOpcode() == clang::BO_AddAssign || binary->getOpcode() == clang::BO_SubAssign)
    return judge.vanishes(*binary->getRHS());
  if (binary->getOpcode() != clang::BO_Assign)
    return {};
  const clang::VarDecl *target = namedVariable(binary->getLHS());
  const clang::Expr *value = binary->getRHS()->IgnoreParenImpCasts();
  if (const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(value); sum && sum->isAdditiveOp() && target) {
    if (namedVariable(sum->getLHS()) == target)
      return judge.vanishes(*sum->getRHS());
    if (sum->getOpcode() == clang::BO_Add && namedVariable(sum->getRHS()) == target)
      return judge.vanishes(*sum->getLHS());
  }
  // sum = fmaf(a, b, sum)
  const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  bool isFused = callee && callee->getDeclName().isIdentifier() && call->getNumArgs() == 3 &&
                 (callee->getName() == "fmaf" || callee->getName() == "fma");
  if (!isFused || !target || namedVariable(call->getArg(2)) != target)
    return {};
  return judge.product(*call->getArg(0), *call->getArg(1));
}

} // namespace warpwright
