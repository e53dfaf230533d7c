#include "analysis/ast/PureCalls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

constexpr unsigned deepestCall = 6; ///< calls within calls that are looked into

bool isOfSystem(const clang::FunctionDecl &function) {
  return function.getBuiltinID() != 0 ||
         function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation());
}

bool isNumber(clang::QualType type) {
  type = type.getNonReferenceType();
  if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl())
    return llvm::StringSwitch<bool>(record->getName())
        .Cases({"__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"}, true)
        .Default(false);
  return type->isArithmeticType() || type->isEnumeralType();
}

/// Instructions whose result depends on other threads, on time, or that do something.
bool acts(llvm::StringRef name) {
  for (llvm::StringRef prefix :
       {"__shfl",       "__ballot", "__any",         "__all",  "__match", "__reduce_",
        "__activemask", "__sync",   "__threadfence", "atomic", "__nano",  "__trap",
        "__brkpt",      "clock",    "globaltimer",   "__prof", "__pm",    "__nv_atomic",
        "__nvvm_bar",   "__bar",    "printf",        "__lane", "curand",  "rand"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

bool isPure(const clang::FunctionDecl &function, unsigned depth);

class EffectFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit EffectFinder(unsigned depth) : depth_(depth) {}
  bool found = false;

  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    return !binary->isAssignmentOp() || isLocal(binary->getLHS()) || stop();
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    if (unary->isIncrementDecrementOp())
      return isLocal(unary->getSubExpr()) || stop();
    bool pointers = unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref;
    return !pointers || stop();
  }
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *subscript) override {
    return isLocal(subscript) || stop();
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    return (callee && isPure(*callee, depth_ + 1)) || stop();
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *) override { return stop(); }
  bool VisitCXXThisExpr(const clang::CXXThisExpr *) override { return stop(); }
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    return (!variable->isStaticLocal() && !variable->getType()->isReferenceType()) || stop();
  }

private:
  static bool isLocal(const clang::Expr *place) {
    place = place->IgnoreParenImpCasts();
    while (true) {
      if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place);
          subscript && subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        place = subscript->getBase()->IgnoreParenImpCasts();
      else if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(place); member && !member->isArrow())
        place = member->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(place);
    const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable && variable->isLocalVarDeclOrParm() && !variable->isStaticLocal() &&
           !variable->getType()->isReferenceType();
  }
  bool stop() {
    found = true;
    return false;
  }
  unsigned depth_;
};

bool isPure(const clang::FunctionDecl &function, unsigned depth) {
  llvm::StringRef name = function.getDeclName().isIdentifier() ? function.getName() : "";
  if (name.starts_with("__fetch_builtin"))
    return true; // behind threadIdx.x and its kin
  bool numbers = llvm::all_of(function.parameters(), [](const clang::ParmVarDecl *parameter) {
    bool writes = parameter->getType()->isReferenceType() &&
                  !parameter->getType().getNonReferenceType().isConstQualified();
    return isNumber(parameter->getType()) && !writes;
  });
  if (!numbers || llvm::isa<clang::CXXMethodDecl>(function))
    return false;
  if (isOfSystem(function))
    return !acts(name) && !function.getReturnType()->isVoidType();
  const clang::FunctionDecl *definition = nullptr;
  if (depth > deepestCall || !function.getBody(definition))
    return false;
  EffectFinder effects(depth);
  effects.TraverseStmt(definition->getBody());
  return !effects.found;
}

} // namespace

bool isPureCall(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  return callee && isPure(*callee, 0);
}

bool isExtremum(const clang::FunctionDecl &function) {
  if (!function.getDeclName().isIdentifier() || !isOfSystem(function))
    return false;
  return llvm::StringSwitch<bool>(function.getName())
      .Cases({"max", "min", "umax", "umin", "llmax", "llmin", "ullmax", "ullmin"}, true)
      .Cases({"fmax", "fmin", "fmaxf", "fminf", "__hmax", "__hmin"}, true)
      .Default(false);
}

} // namespace warpwright
