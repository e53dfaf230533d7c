#include "rewriters/mapping/RowLoop.h"

#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace warpwright {
namespace {

class LeaveFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitBreakStmt(const clang::BreakStmt *) override { return !(found = true); }
  bool TraverseForStmt(clang::ForStmt const *) override { return true; }
  bool TraverseWhileStmt(clang::WhileStmt const *) override { return true; }
  bool TraverseDoStmt(clang::DoStmt const *) override { return true; }
  bool TraverseSwitchStmt(clang::SwitchStmt const *) override { return true; }
  bool found = false;
};

std::optional<int64_t> constantOf(const clang::Expr *expression, const clang::ASTContext &ast) {
  clang::Expr::EvalResult result;
  if (expression->isValueDependent() || !expression->EvaluateAsInt(result, ast))
    return std::nullopt;
  return result.Val.getInt().tryExtValue();
}

/// By how much the increment moves the counter; zero where it is something else.
int64_t stepOf(const clang::Expr *increment, const clang::VarDecl *counter, const clang::ASTContext &ast) {
  if (!increment)
    return 0;
  increment = increment->IgnoreParenImpCasts();
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(increment);
      unary && unary->isIncrementDecrementOp() && referenceTo(unary->getSubExpr(), counter))
    return unary->isIncrementOp() ? 1 : -1;
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(increment);
  if (!binary || !referenceTo(binary->getLHS(), counter))
    return 0;
  if (binary->getOpcode() == clang::BO_AddAssign)
    return constantOf(binary->getRHS(), ast).value_or(0);
  if (binary->getOpcode() == clang::BO_SubAssign)
    return -constantOf(binary->getRHS(), ast).value_or(0);
  const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(binary->getRHS()->IgnoreParenImpCasts());
  if (binary->getOpcode() != clang::BO_Assign || !sum || !sum->isAdditiveOp() ||
      !referenceTo(sum->getLHS(), counter))
    return 0;
  int64_t step = constantOf(sum->getRHS(), ast).value_or(0);
  return sum->getOpcode() == clang::BO_Add ? step : -step;
}

/// Reads what ends the loop: it goes on while the counter is on the one side of what does not change.
bool readBound(const clang::Expr *condition, const Effects &effects, RowLoop &loop) {
  const auto *comparison =
      condition ? llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts()) : nullptr;
  if (!comparison || !comparison->isRelationalOp())
    return false;
  bool isLess = comparison->getOpcode() == clang::BO_LT || comparison->getOpcode() == clang::BO_LE;
  const clang::Expr *bound = comparison->getRHS();
  if (!referenceTo(comparison->getLHS(), loop.counter)) {
    if (!referenceTo(comparison->getRHS(), loop.counter))
      return false;
    isLess = !isLess;
    bound = comparison->getLHS();
  }
  if (isLess == loop.isDown || effectsOf(*bound).seenByOthers())
    return false;
  class Mentions : public clang::ConstDynamicRecursiveASTVisitor {
  public:
    explicit Mentions(const RowLoop &loop, const Effects &effects) : loop_(loop), effects_(effects) {}
    bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      return !(found |= variable == loop_.counter || llvm::is_contained(effects_.variables, variable));
    }
    bool found = false;

  private:
    const RowLoop &loop_;
    const Effects &effects_;
  } mentions(loop, effects);
  mentions.TraverseStmt(bound);
  loop.bound = bound;
  loop.inclusive = comparison->getOpcode() == clang::BO_LE || comparison->getOpcode() == clang::BO_GE;
  return !mentions.found;
}

} // namespace

std::optional<RowLoop> readRowLoop(const clang::ForStmt &loop, const clang::ASTContext &ast,
                                   std::string &whyNot) {
  RowLoop row;
  row.loop = &loop;
  const auto *declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  row.counter = declaration && declaration->isSingleDecl()
                    ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                    : nullptr;
  bool isCounter = row.counter && row.counter->getInit() &&
                   (row.counter->getType()->isIntegerType() || row.counter->getType()->isPointerType());
  int64_t step = isCounter ? stepOf(loop.getInc(), row.counter, ast) : 0;
  if (step == 0) {
    whyNot = "its counter does not move by a constant";
    return std::nullopt;
  }
  row.first = row.counter->getInit();
  row.isDown = step < 0;
  row.step = std::abs(step);
  Effects effects = effectsOf(*loop.getBody());
  LeaveFinder leaves;
  leaves.TraverseStmt(loop.getBody());
  if (effects.leaves || leaves.found)
    whyNot = "it may be left early";
  else if (!effects.calls.empty())
    whyNot = "it calls what may have effects of its own";
  else if (llvm::is_contained(effects.variables, row.counter))
    whyNot = "it changes its counter";
  else if (!readBound(loop.getCond(), effects, row))
    whyNot = "it is not bounded by something that does not change";
  if (!whyNot.empty())
    return std::nullopt;
  row.stores = !effects.stores.empty();
  row.reductions = readRowReductions(*loop.getBody(), *row.counter, row.isDown, ast, whyNot);
  return whyNot.empty() ? std::optional(row) : std::nullopt;
}

} // namespace warpwright
