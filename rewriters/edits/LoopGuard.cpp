#include "rewriters/edits/LoopGuard.h"

#include "analysis/ast/VariableChanges.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <functional>
#include <map>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

/// What the loop's first statement gives its variables; nothing where it does anything else.
std::optional<std::map<const VarDecl *, const Expr *>> firstValues(const clang::Stmt *init) {
  std::map<const VarDecl *, const Expr *> values;
  if (!init)
    return values;
  if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(init)) {
    for (const clang::Decl *declared : declaration->decls()) {
      const auto *variable = llvm::dyn_cast<VarDecl>(declared);
      if (!variable || !variable->getInit())
        return std::nullopt;
      values[variable] = variable->getInit();
    }
    return values;
  }
  const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(init);
  const VarDecl *variable = assignment && assignment->getOpcode() == clang::BO_Assign
                                ? namedVariable(assignment->getLHS())
                                : nullptr;
  if (!variable)
    return std::nullopt;
  values[variable] = assignment->getRHS();
  return values;
}

bool isInnocent(const Expr &expression, unsigned changes) {
  Effects effects = effectsOf(expression);
  return !effects.seenByOthers() && effects.variables.size() <= changes && !effects.leaves;
}

/// Whether a counter with a known first value meets a known bound from the near side.
bool runsAlways(const Expr &condition, const std::map<const VarDecl *, const Expr *> &values,
                const clang::ASTContext &ast) {
  const auto *comparison = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (!comparison || !comparison->isComparisonOp())
    return false;
  auto valueOf = [&](const Expr *side) -> std::optional<int64_t> {
    auto found = values.find(namedVariable(side));
    Expr::EvalResult result;
    const Expr *known = found == values.end() ? side : found->second;
    if (known->isValueDependent() || !known->EvaluateAsInt(result, ast))
      return std::nullopt;
    return result.Val.getInt().tryExtValue();
  };
  std::optional<int64_t> left = valueOf(comparison->getLHS()), right = valueOf(comparison->getRHS());
  if (!left || !right || *left < 0 || *right < 0)
    return false;
  switch (comparison->getOpcode()) {
  case clang::BO_LT:
    return *left < *right;
  case clang::BO_LE:
    return *left <= *right;
  case clang::BO_GT:
    return *left > *right;
  case clang::BO_GE:
    return *left >= *right;
  case clang::BO_NE:
    return *left != *right;
  default:
    return *left == *right;
  }
}

} // namespace

std::optional<LoopGuard> loopGuard(const clang::Stmt &loop, const clang::ASTContext &ast) {
  const Expr *condition = nullptr;
  std::optional<std::map<const VarDecl *, const Expr *>> values;
  if (const auto *counted = llvm::dyn_cast<clang::ForStmt>(&loop);
      counted && !counted->getConditionVariable()) {
    condition = counted->getCond();
    values = firstValues(counted->getInit());
  } else if (const auto *open = llvm::dyn_cast<clang::WhileStmt>(&loop);
             open && !open->getConditionVariable()) {
    condition = open->getCond();
    values.emplace();
  }
  if (!condition || !values || !isInnocent(*condition, 1) || condition->getBeginLoc().isMacroID() ||
      condition->getEndLoc().isMacroID())
    return std::nullopt;
  if (runsAlways(*condition, *values, ast))
    return LoopGuard();
  PatchedText text(ast);
  EditBuilder builder(ast);
  bool known = true;
  VariableChanges changes(*condition), inLoop(loop);
  bool holdsBehind = true;
  auto see = [&](const clang::Stmt *code) {
    std::function<void(const clang::Stmt *)> visit = [&](const clang::Stmt *part) {
      const auto *reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(part);
      if (const auto *variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr)
        holdsBehind &= inLoop.isConstant(variable);
      if (part)
        for (const clang::Stmt *child : part->children())
          visit(child);
    };
    visit(code);
  };
  std::function<void(const clang::Stmt *)> patch = [&](const clang::Stmt *code) {
    // Before it counts for the first time, `k--` is `k`.
    if (const auto *unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(code);
        unary && unary->isIncrementDecrementOp()) {
      const VarDecl *counter = namedVariable(unary->getSubExpr());
      std::optional<std::string> name = builder.textOf(unary->getSubExpr()->getSourceRange());
      holdsBehind = false;
      known &= counter && changes.mentionsOf(counter) == 1 && name.has_value();
      std::string first = unary->isPostfix()
                              ? name.value_or("")
                              : "(" + name.value_or("") + (unary->isIncrementOp() ? " + 1)" : " - 1)");
      text.replace(unary->getSourceRange(), first);
      return;
    }
    const auto *reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(code);
    const auto *variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (auto found = values->find(variable); variable && found != values->end()) {
      const Expr *value = found->second->IgnoreImpCasts();
      see(value);
      std::optional<std::string> first = builder.textOf(value->getSourceRange());
      // The variable's type would convert a value of another one.
      bool sameType = ast.hasSameUnqualifiedType(value->getType(), variable->getType()) ||
                      llvm::isa<clang::IntegerLiteral>(value);
      known &= first.has_value() && sameType && isInnocent(*value, 0);
      if (first)
        text.replace(reference->getSourceRange(), isOperand(value) ? *first : "(" + *first + ")");
      return;
    }
    if (reference)
      see(reference);
    if (code && !llvm::isa<clang::PseudoObjectExpr>(code))
      for (const clang::Stmt *child : code->children())
        patch(child);
  };
  patch(condition);
  known &= changes.changed().empty() || llvm::isa<clang::WhileStmt>(loop);
  std::optional<std::string> guard = text.of(condition->getSourceRange());
  if (!known || !guard)
    return std::nullopt;
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreImpCasts());
  bool loose = llvm::isa<clang::AbstractConditionalOperator>(condition->IgnoreImpCasts()) ||
               (binary && binary->isCommaOp());
  return LoopGuard{loose ? "(" + *guard + ")" : *guard, holdsBehind};
}

} // namespace warpwright
