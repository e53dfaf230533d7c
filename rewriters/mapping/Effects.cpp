#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

constexpr unsigned deepestCall = 8;

bool isReference(const clang::VarDecl &variable) {
  return variable.getType()->isReferenceType();
}

/// Whether a function of the toolkit computes on its operands alone.
bool isPlainFunction(const clang::FunctionDecl &callee) {
  if (!callee.getDeclName().isIdentifier())
    return true; // operators of half and its kin
  llvm::StringRef name = callee.getName();
  if (name.contains("atomic") || name.contains("sync") || name.contains("fence") || name.contains("shfl") ||
      name.contains("print") || name.contains("assert") || name == "clock" || name == "clock64")
    return false;
  return llvm::none_of(callee.parameters(), [](const clang::ParmVarDecl *parameter) {
    clang::QualType type = parameter->getType();
    return (type->isPointerType() || type->isReferenceType()) && !type->getPointeeType().isConstQualified();
  });
}

class EffectFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  EffectFinder(Effects &effects, unsigned depth) : effects_(effects), depth_(depth) {}

  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->isAssignmentOp())
      write(binary->getLHS());
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    if (unary->isIncrementDecrementOp())
      write(unary->getSubExpr());
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    readCall(*call);
    return true;
  }
  bool VisitReturnStmt(const clang::ReturnStmt *) override {
    effects_.leaves |= depth_ == 0;
    return true;
  }
  bool VisitGotoStmt(const clang::GotoStmt *) override {
    effects_.leaves = true;
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *) override {
    effects_.leaves = true; // it may do anything
    return true;
  }

private:
  void write(const clang::Expr *lvalue) {
    if (const clang::VarDecl *variable = localOf(lvalue)) {
      if (depth_ == 0)
        effects_.variables.push_back(variable);
      return;
    }
    effects_.stores.push_back(lvalue);
  }

  void readCall(const clang::CallExpr &call) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee) {
      // The getters of threadIdx and its kin stand in a form of their own and call nothing.
      effects_.calls.push_back(&call);
      return;
    }
    const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
    if (operation && operation->isAssignmentOp()) {
      write(operation->getArg(0));
      return;
    }
    const clang::SourceManager &sources = callee->getASTContext().getSourceManager();
    const clang::FunctionDecl *definition = nullptr;
    bool isUsers = callee->hasBody(definition) &&
                   !sources.isInSystemHeader(sources.getExpansionLoc(definition->getLocation()));
    if (!isUsers) {
      if (!isPlainFunction(*callee))
        effects_.calls.push_back(&call);
      return;
    }
    Effects inside;
    if (depth_ < deepestCall)
      EffectFinder(inside, depth_ + 1).TraverseStmt(definition->getBody());
    if (depth_ >= deepestCall || inside.seenByOthers() || inside.leaves)
      effects_.calls.push_back(&call);
  }

  Effects &effects_;
  unsigned depth_;
};

} // namespace

const clang::VarDecl *localOf(const clang::Expr *lvalue) {
  while (true) {
    lvalue = lvalue->IgnoreParenImpCasts();
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
      const clang::Expr *base = subscript->getBase()->IgnoreParenImpCasts();
      if (!base->getType()->isArrayType())
        return nullptr;
      lvalue = base;
    } else if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
      if (member->isArrow())
        return nullptr;
      lvalue = member->getBase();
    } else {
      break;
    }
  }
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue);
  const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  bool isLocal = variable && (variable->isLocalVarDecl() || llvm::isa<clang::ParmVarDecl>(variable)) &&
                 !variable->isStaticLocal() && !isReference(*variable);
  return isLocal ? variable : nullptr;
}

Effects effectsOf(const clang::Stmt &statement) {
  Effects effects;
  EffectFinder(effects, 0).TraverseStmt(&statement);
  return effects;
}

} // namespace warpwright
