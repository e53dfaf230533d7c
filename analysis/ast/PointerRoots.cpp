#include "analysis/ast/PointerRoots.h"

#include "analysis/ast/VariableChanges.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace warpwright {

const clang::VarDecl *parameterBehind(const clang::VarDecl *pointer, const VariableChanges &function) {
  for (unsigned step = 0; pointer && step < 8; ++step) {
    if (llvm::isa<clang::ParmVarDecl>(pointer))
      return function.isConstant(pointer) ? pointer : nullptr;
    if (!pointer->isLocalVarDecl() || !pointer->getInit() || !function.isConstant(pointer))
      return nullptr;
    const clang::Expr *value = pointer->getInit()->IgnoreParenCasts();
    while (const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(value)) {
      if (!sum->isAdditiveOp())
        return nullptr;
      value = (sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS())->IgnoreParenCasts();
    }
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(value);
        unary && unary->getOpcode() == clang::UO_AddrOf)
      if (const auto *subscript =
              llvm::dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens()))
        value = subscript->getBase();
    pointer = namedVariable(value->IgnoreParenCasts());
  }
  return nullptr;
}

} // namespace warpwright
