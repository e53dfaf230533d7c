#include "rewriters/layout/SharedArrays.h"

#include "analysis/ast/IndexRange.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace warpwright {
namespace {

unsigned dimensionsOf(clang::QualType type, const clang::ASTContext &ast) {
  unsigned dimensions = 0;
  while (const clang::ConstantArrayType *array = ast.getAsConstantArrayType(type)) {
    ++dimensions;
    type = array->getElementType();
  }
  return dimensions;
}

/// Follows each mention of the array outwards through its subscripts.
class UseVisitor : public clang::ConstDynamicRecursiveASTVisitor {
public:
  UseVisitor(const clang::ASTContext &ast, const IndexRanges &ranges, SharedArrayUse &use)
      : ast_(ast), ranges_(ranges), use_(use), dimensions_(dimensionsOf(use.array->getType(), ast)) {}

  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *outermost) override {
    // The visit meets the outermost subscript of a chain first; the inner ones belong to it.
    std::vector<const clang::ArraySubscriptExpr *> chain;
    const clang::Expr *base = outermost;
    while (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(base->IgnoreParenImpCasts())) {
      if (seen_.contains(subscript))
        return true;
      chain.push_back(subscript);
      base = subscript->getBase();
    }
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(base->IgnoreParenImpCasts());
    if (!reference || reference->getDecl() != use_.array)
      return true;
    for (const clang::ArraySubscriptExpr *subscript : chain)
      seen_.insert(subscript);
    if (chain.size() != dimensions_)
      return true; // the mention itself is reported as an escape
    complete_.insert(reference);
    checkBounds(chain);
    use_.accesses.push_back(std::move(chain));
    return true;
  }

  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    // The address of an element gives away where its neighbours lie.
    if (unary->getOpcode() == clang::UO_AddrOf && mentions(unary->getSubExpr()))
      use_.escape = unary;
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    if (variable->getType()->isReferenceType() && variable->getInit() && mentions(variable->getInit()))
      use_.escape = variable->getInit();
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      bool byReference =
          !callee || i >= callee->getNumParams() || callee->getParamDecl(i)->getType()->isReferenceType();
      if (byReference && call->getArg(i)->isGLValue() && mentions(call->getArg(i)))
        use_.escape = call->getArg(i);
    }
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl() == use_.array)
      mentioned_.push_back(reference);
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *statement) override {
    for (const clang::Stmt *child : statement->children())
      if (const auto *operand = llvm::dyn_cast_or_null<clang::Expr>(child))
        if (operand->isGLValue() && mentions(operand))
          use_.escape = operand;
    return true;
  }

  void finish() {
    for (const clang::DeclRefExpr *reference : mentioned_)
      if (!complete_.contains(reference) && !use_.escape)
        use_.escape = reference;
  }

private:
  bool mentions(const clang::Expr *expression) const {
    expression = expression->IgnoreParenImpCasts();
    while (true) {
      if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression))
        expression = subscript->getBase()->IgnoreParenImpCasts();
      else if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expression))
        expression = member->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
    return reference && reference->getDecl() == use_.array;
  }

  void checkBounds(llvm::ArrayRef<const clang::ArraySubscriptExpr *> chain) {
    for (const clang::ArraySubscriptExpr *subscript : chain) {
      clang::QualType type = subscript->getBase()->IgnoreParenImpCasts()->getType();
      const clang::ConstantArrayType *array = ast_.getAsConstantArrayType(type);
      std::optional<IntegerRange> range = ranges_.rangeOf(subscript->getIdx());
      bool within = array && range && range->lowest >= 0 &&
                    static_cast<uint64_t>(range->highest) < array->getSize().getZExtValue();
      if (!within && !use_.unbounded)
        use_.unbounded = subscript->getIdx();
    }
  }

  const clang::ASTContext &ast_;
  const IndexRanges &ranges_;
  SharedArrayUse &use_;
  unsigned dimensions_;
  llvm::SmallPtrSet<const clang::Expr *, 16> seen_;
  llvm::SmallPtrSet<const clang::DeclRefExpr *, 16> complete_;
  std::vector<const clang::DeclRefExpr *> mentioned_;
};

/// The shared arrays of at least two dimensions that a function declares.
class ArrayFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit ArrayFinder(const clang::ASTContext &ast) : ast_(ast) {}
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    if (variable->hasAttr<clang::CUDASharedAttr>() && dimensionsOf(variable->getType(), ast_) >= 2)
      arrays.push_back(variable);
    return true;
  }
  std::vector<const clang::VarDecl *> arrays;

private:
  const clang::ASTContext &ast_;
};

} // namespace

std::vector<const clang::VarDecl *> findSharedArrays(const clang::FunctionDecl &kernel) {
  ArrayFinder finder(kernel.getASTContext());
  finder.TraverseStmt(kernel.getBody());
  return std::move(finder.arrays);
}

SharedArrayUse findSharedArrayUse(const clang::FunctionDecl &kernel, const clang::VarDecl &array,
                                  KnownBlock block) {
  const clang::ASTContext &ast = kernel.getASTContext();
  IndexRanges ranges(ast, kernel, block);
  SharedArrayUse use;
  use.array = &array;
  UseVisitor visitor(ast, ranges, use);
  visitor.TraverseStmt(kernel.getBody());
  visitor.finish();
  return use;
}

} // namespace warpwright
