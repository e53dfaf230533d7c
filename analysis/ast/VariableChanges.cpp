#include "analysis/ast/VariableChanges.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

/// The variable of which the expression is a part: `v`, `v.x`, `v[1]` of an array.
const VarDecl *holder(const Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  while (true) {
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expression); member && !member->isArrow())
      expression = member->getBase()->IgnoreParenImpCasts();
    else if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression);
             subscript && subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      expression = subscript->getBase()->IgnoreParenImpCasts();
    else
      break;
  }
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
  return reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

bool bindsMutable(clang::QualType type) {
  return type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
}

class Collector : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Collector(llvm::DenseSet<const VarDecl *> &changed, llvm::DenseSet<const VarDecl *> &exposed,
            llvm::DenseMap<const VarDecl *, unsigned> &mentions)
      : changed_(changed), exposed_(exposed), mentions_(mentions) {
    ShouldVisitImplicitCode = true;
  }

  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl()))
      ++mentions_[variable];
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    if (unary->isIncrementDecrementOp())
      add(changed_, unary->getSubExpr());
    else if (unary->getOpcode() == clang::UO_AddrOf)
      add(exposed_, unary->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->isAssignmentOp())
      add(changed_, binary->getLHS());
    return true;
  }
  bool VisitVarDecl(const VarDecl *variable) override {
    if (bindsMutable(variable->getType()) && variable->getInit())
      add(exposed_, variable->getInit());
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
    // Of an operator that is a member, the first argument is the object.
    bool objectFirst = llvm::isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance();
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      const Expr *argument = call->getArg(i);
      if (objectFirst && i == 0) {
        if (!method->isConst())
          add(changed_, argument);
        continue;
      }
      unsigned position = i - objectFirst;
      if (!argument->isGLValue())
        continue;
      if (!callee || position >= callee->getNumParams() ||
          bindsMutable(callee->getParamDecl(position)->getType()))
        add(exposed_, argument);
    }
    return true;
  }
  bool VisitCXXMemberCallExpr(const clang::CXXMemberCallExpr *call) override {
    const clang::CXXMethodDecl *method = call->getMethodDecl();
    if (!method || !method->isConst())
      add(changed_, call->getImplicitObjectArgument());
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *construct) override {
    for (unsigned i = 0; i < construct->getNumArgs(); ++i)
      if (construct->getArg(i)->isGLValue() &&
          (i >= construct->getConstructor()->getNumParams() ||
           bindsMutable(construct->getConstructor()->getParamDecl(i)->getType())))
        add(exposed_, construct->getArg(i));
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr *lambda) override {
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
        if (const auto *variable = llvm::dyn_cast<VarDecl>(capture.getCapturedVar()))
          exposed_.insert(variable);
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *statement) override {
    for (unsigned i = 0; i < statement->getNumOutputs(); ++i)
      add(changed_, statement->getOutputExpr(i));
    return true;
  }

private:
  static void add(llvm::DenseSet<const VarDecl *> &set, const Expr *expression) {
    if (const VarDecl *variable = holder(expression))
      set.insert(variable);
  }

  llvm::DenseSet<const VarDecl *> &changed_;
  llvm::DenseSet<const VarDecl *> &exposed_;
  llvm::DenseMap<const VarDecl *, unsigned> &mentions_;
};

} // namespace

const VarDecl *namedVariable(const Expr *expression) {
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

VariableChanges::VariableChanges(const clang::Stmt &code) {
  Collector(changed_, exposed_, mentions_).TraverseStmt(&code);
}

} // namespace warpwright
