#include "analysis/host/HostMemory.h"

#include "analysis/ast/SystemFunction.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

const clang::VarDecl *variableIn(const clang::Expr *expression) {
  const auto *reference =
      expression ? llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens()) : nullptr;
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

/// Every mention of one variable in a body.
class History : public clang::ConstDynamicRecursiveASTVisitor {
public:
  History(const clang::VarDecl &variable, const HostCode &code) : variable_(variable), code_(code) {}

  /// Whether values come from the initialiser and from assignments alone.
  bool isClosed() const { return mentions_ == understood_ && !isHandedOut; }

  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    mentions_ += reference->getDecl() == &variable_;
    return true;
  }
  bool VisitImplicitCastExpr(const clang::ImplicitCastExpr *cast) override {
    understood_ +=
        cast->getCastKind() == clang::CK_LValueToRValue && variableIn(cast->getSubExpr()) == &variable_;
    return true;
  }
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (!binary->isAssignmentOp() || variableIn(binary->getLHS()) != &variable_)
      return true;
    ++understood_;
    if (binary->getOpcode() == clang::BO_Assign)
      values.push_back(binary->getRHS());
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    understood_ += unary->isIncrementDecrementOp() && variableIn(unary->getSubExpr()) == &variable_;
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    bool isSeen = callee && (isSystemFunction(*callee) || callee->getBuiltinID() != 0 || code_.of(*callee) ||
                             callee->hasAttr<clang::CUDAGlobalAttr>());
    isHandedOut |= !isSeen && llvm::any_of(call->arguments(),
                                           [&](const clang::Expr *argument) { return mentions(*argument); });
    return true;
  }

  std::vector<const clang::Expr *> values;
  bool isHandedOut = false; ///< to code that is not seen

private:
  bool mentions(const clang::Stmt &node) const {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    return (reference && reference->getDecl() == &variable_) ||
           llvm::any_of(node.children(), [&](const clang::Stmt *child) { return child && mentions(*child); });
  }

  const clang::VarDecl &variable_;
  const HostCode &code_;
  unsigned mentions_ = 0, understood_ = 0;
};

class Reader {
public:
  Reader(const HostFunction &function, const HostCode &code) : code_(code) {
    // A lambda has variables of the function that holds it.
    body_ = code.functions()[function.owner].declaration->getBody();
  }

  std::optional<std::string> pointer(const clang::Expr &expression) {
    const clang::Expr *value = expression.IgnoreParens();
    if (const auto *full = llvm::dyn_cast<clang::FullExpr>(value))
      return pointer(*full->getSubExpr());
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(value))
      return ofCast(*cast);
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(value); binary && binary->isAdditiveOp())
      return pointer(*(binary->getLHS()->getType()->isPointerType() ? binary->getLHS() : binary->getRHS()));
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(value);
        unary && unary->getOpcode() == clang::UO_AddrOf)
      return object(*unary->getSubExpr());
    if (const auto *allocation = llvm::dyn_cast<clang::CXXNewExpr>(value))
      return ofNew(*allocation);
    if (const auto *call = llvm::dyn_cast<clang::CXXMemberCallExpr>(value))
      return ofMember(*call);
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value))
      return ofCall(*call);
    return std::nullopt;
  }

private:
  std::optional<std::string> ofCast(const clang::CastExpr &cast) {
    if (cast.getCastKind() == clang::CK_ArrayToPointerDecay)
      return object(*cast.getSubExpr());
    if (cast.getCastKind() == clang::CK_LValueToRValue) {
      const clang::VarDecl *variable = variableIn(cast.getSubExpr());
      return variable && variable->getType()->isPointerType() ? held(*variable) : std::nullopt;
    }
    if (llvm::is_contained({clang::CK_BitCast, clang::CK_NoOp}, cast.getCastKind()))
      return pointer(*cast.getSubExpr());
    return std::nullopt;
  }

  std::optional<std::string> ofNew(const clang::CXXNewExpr &allocation) const {
    const clang::FunctionDecl *function = allocation.getOperatorNew();
    if (!function || !function->isReplaceableGlobalAllocationFunction() || function->getDefinition())
      return std::nullopt;
    return "memory of new";
  }

  std::optional<std::string> ofCall(const clang::CallExpr &call) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee || !callee->getIdentifier() || !isSystemFunction(*callee))
      return std::nullopt;
    if (!llvm::is_contained({"malloc", "calloc", "realloc", "aligned_alloc", "strdup"}, callee->getName()))
      return std::nullopt;
    return "memory of " + callee->getNameAsString() + "()";
  }

  /// data() and c_str() of containers that take their memory from std::allocator, or are arrays.
  std::optional<std::string> ofMember(const clang::CXXMemberCallExpr &call) {
    const clang::CXXMethodDecl *method = call.getMethodDecl();
    if (!method || !method->getIdentifier() || (method->getName() != "data" && method->getName() != "c_str"))
      return std::nullopt;
    const clang::Expr *owner = call.getImplicitObjectArgument();
    return owner->getType()->isPointerType() ? std::nullopt : elements(*owner);
  }

  std::optional<std::string> elements(const clang::Expr &container) {
    const auto *record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
        container.getType()->getAsCXXRecordDecl());
    if (!record || !record->isInStdNamespace())
      return std::nullopt;
    llvm::StringRef name = record->getName();
    if (name == "array")
      return object(container);
    if ((name != "vector" && name != "basic_string") || !usesStandardAllocator(*record))
      return std::nullopt;
    const clang::VarDecl *variable = variableIn(container.IgnoreImpCasts());
    if (variable && isHandedOut(*variable))
      return std::nullopt;
    std::string type = name == "vector" ? "std::vector" : "std::string";
    return "the elements of the " + type + (variable ? " '" + variable->getNameAsString() + "'" : "");
  }

  static bool usesStandardAllocator(const clang::ClassTemplateSpecializationDecl &record) {
    for (const clang::TemplateArgument &argument : record.getTemplateArgs().asArray()) {
      if (argument.getKind() != clang::TemplateArgument::Type)
        continue;
      const clang::CXXRecordDecl *type = argument.getAsType()->getAsCXXRecordDecl();
      if (type && type->isInStdNamespace() && type->getIdentifier() && type->getName() == "allocator")
        return true;
    }
    return false;
  }

  /// The memory that an lvalue lies in.
  std::optional<std::string> object(const clang::Expr &expression) {
    const clang::Expr *value = expression.IgnoreParens();
    if (llvm::isa<clang::StringLiteral>(value))
      return "a string literal";
    if (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(value);
        cast && cast->getCastKind() == clang::CK_NoOp)
      return object(*cast->getSubExpr());
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(value))
      return member->isArrow() || member->getType()->isReferenceType() ? std::nullopt
                                                                       : object(*member->getBase());
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(value))
      return pointer(*subscript->getBase());
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(value);
        unary && unary->getOpcode() == clang::UO_Deref)
      return pointer(*unary->getSubExpr());
    if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(value);
        call && call->getOperator() == clang::OO_Subscript)
      return elements(*call->getArg(0));
    const clang::VarDecl *variable = variableIn(value);
    return variable ? ofVariable(*variable) : std::nullopt;
  }

  std::optional<std::string> ofVariable(const clang::VarDecl &variable) {
    if (variable.getType()->isReferenceType() || variable.hasAttr<clang::CUDADeviceAttr>() ||
        variable.hasAttr<clang::CUDAConstantAttr>() || variable.hasAttr<clang::CUDASharedAttr>() ||
        variable.hasAttr<clang::HIPManagedAttr>() || variable.isInvalidDecl() || isHandedOut(variable))
      return std::nullopt;
    return std::string("the ") + (variable.hasLocalStorage() ? "local " : "host's ") +
           (variable.getType()->isArrayType() ? "array" : "variable") + " '" + variable.getNameAsString() +
           "'";
  }

  bool isHandedOut(const clang::VarDecl &variable) const {
    History history(variable, code_);
    history.TraverseStmt(body_);
    return history.isHandedOut;
  }

  /// What a pointer variable holds: all of its values are of the host, or nothing is known.
  std::optional<std::string> held(const clang::VarDecl &variable) {
    if (!variable.hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(variable) ||
        !open_.insert(&variable).second)
      return std::nullopt;
    History history(variable, code_);
    history.TraverseStmt(body_);
    if (variable.getInit())
      history.values.push_back(variable.getInit());
    std::optional<std::string> found;
    for (const clang::Expr *value : history.values) {
      if (value->isNullPointerConstant(code_.ast(), clang::Expr::NPC_ValueDependentIsNotNull))
        continue;
      std::optional<std::string> memory = pointer(*value);
      if (!memory)
        return std::nullopt;
      found = std::move(memory);
    }
    open_.erase(&variable);
    return history.isClosed() ? found : std::nullopt;
  }

  const HostCode &code_;
  const clang::Stmt *body_;
  llvm::SmallPtrSet<const clang::VarDecl *, 4> open_; ///< variables that are being read
};

} // namespace

std::optional<std::string> hostMemoryBehind(const clang::Expr &pointer, const HostFunction &function,
                                            const HostCode &code) {
  return code.sharesHostMemory() ? std::nullopt : Reader(function, code).pointer(pointer);
}

} // namespace warpwright
