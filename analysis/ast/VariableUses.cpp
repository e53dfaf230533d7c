#include "analysis/ast/VariableUses.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

/// Counts, for each variable, its mentions and those among them that only read it.
class UseCounter : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit UseCounter(VariableUses::Counts &counts) : counts_(counts) {}

  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      ++counts_[variable].mentions;
    return true;
  }
  bool VisitImplicitCastExpr(const clang::ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      countRead(cast->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *construct) override {
    if (VariableUses::isCopy(*construct))
      countRead(construct->getArg(0));
    return true;
  }

private:
  void countRead(const clang::Expr *expression) {
    if (const clang::VarDecl *variable = VariableUses::variableOf(expression))
      ++counts_[variable].reads;
  }

  VariableUses::Counts &counts_;
};

} // namespace

const clang::VarDecl *VariableUses::variableOf(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto *opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(expression))
    expression = opaque->getSourceExpr()->IgnoreParenImpCasts();
  while (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
    if (member->isArrow())
      return nullptr;
    expression = member->getBase()->IgnoreParenImpCasts();
  }
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

bool VariableUses::isCopy(const clang::CXXConstructExpr &construct) {
  return construct.getConstructor()->isCopyOrMoveConstructor() && construct.getNumArgs() >= 1;
}

VariableUses::VariableUses(const clang::Stmt &body) {
  UseCounter(counts_).TraverseStmt(&body);
}

bool VariableUses::isOnlyRead(const clang::VarDecl &variable) const {
  auto found = counts_.find(&variable);
  return found == counts_.end() || found->second.mentions == found->second.reads;
}

} // namespace warpwright
