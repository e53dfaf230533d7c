#include "analysis/ast/ConstantLocals.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

constexpr int64_t largest = std::numeric_limits<uint32_t>::max();

} // namespace

ConstantLocals::ConstantLocals(const clang::ASTContext &ast, const clang::Stmt &body)
    : ast_(ast), uses_(body) {}

const clang::Expr *ConstantLocals::valueOf(const clang::VarDecl *variable) const {
  if (!variable || !variable->isLocalVarDecl() || variable->getType()->isReferenceType() ||
      variable->getType().isVolatileQualified())
    return nullptr;
  if (!uses_.isMentioned(*variable) || !uses_.isOnlyRead(*variable))
    return nullptr;
  return variable->getInit();
}

std::optional<uint64_t> ConstantLocals::natural(const clang::Expr &expression) const {
  const clang::Expr *inner = expression.IgnoreParenImpCasts();
  if (const auto *standard = llvm::dyn_cast<clang::CXXDefaultArgExpr>(inner))
    inner = standard->getExpr()->IgnoreParenImpCasts();
  if (inner->isValueDependent() || !inner->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (inner->EvaluateAsInt(result, ast_)) {
    std::optional<int64_t> value = result.Val.getInt().tryExtValue();
    if (!value || *value < 0 || *value > largest)
      return std::nullopt;
    return *value;
  }
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
    const clang::Expr *value = valueOf(llvm::dyn_cast<clang::VarDecl>(reference->getDecl()));
    return value ? natural(*value) : std::nullopt;
  }
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (!binary || binary->isAssignmentOp())
    return std::nullopt;
  std::optional<uint64_t> left = natural(*binary->getLHS());
  std::optional<uint64_t> right = natural(*binary->getRHS());
  if (!left || !right)
    return std::nullopt;
  std::optional<uint64_t> value;
  if (binary->getOpcode() == clang::BO_Mul)
    value = *left * *right;
  else if (binary->getOpcode() == clang::BO_Add)
    value = *left + *right;
  else if (binary->getOpcode() == clang::BO_Div && *right != 0)
    value = *left / *right;
  return value && *value <= uint64_t(std::numeric_limits<int32_t>::max()) ? value : std::nullopt;
}

std::optional<Dim3> ConstantLocals::extents(const clang::Expr &expression) const {
  const clang::Expr *inner = expression.IgnoreImplicit();
  while (inner != inner->IgnoreParenCasts()->IgnoreImplicit())
    inner = inner->IgnoreParenCasts()->IgnoreImplicit();
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
    const clang::Expr *value = valueOf(llvm::dyn_cast<clang::VarDecl>(reference->getDecl()));
    return value ? extents(*value) : std::nullopt;
  }
  const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
  if (!construct || construct->getConstructor()->getParent()->getName() != "dim3")
    return std::nullopt;
  if (VariableUses::isCopy(*construct))
    return extents(*construct->getArg(0));
  Dim3 result;
  uint64_t *axes[] = {&result.x, &result.y, &result.z};
  if (construct->getNumArgs() > 3)
    return std::nullopt;
  for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
    std::optional<uint64_t> value = natural(*construct->getArg(i));
    if (!value || *value == 0)
      return std::nullopt;
    *axes[i] = *value;
  }
  return result;
}

} // namespace warpwright
