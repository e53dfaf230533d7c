#include "rewriters/edits/Operands.h"

#include <clang/AST/Expr.h>

namespace warpwright {

bool isOperand(const clang::Expr *expression) {
  return llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::ParenExpr, clang::PseudoObjectExpr,
                   clang::MemberExpr, clang::ArraySubscriptExpr>(expression->IgnoreImpCasts());
}

std::string asSummand(const clang::Expr *expression, const std::string &text) {
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreImpCasts());
  bool binds = isOperand(expression) || (binary && (binary->isMultiplicativeOp() || binary->isAdditiveOp()));
  return binds ? text : "(" + text + ")";
}

} // namespace warpwright
