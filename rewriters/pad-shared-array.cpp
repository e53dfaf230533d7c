// Widens the rows of a shared array, so that the elements of a column no longer lie in one bank.
//
// Legal where every use of the array subscripts it down to an element, and every subscript stays within its
// own extent: then no code can tell how far apart two rows lie. The one thing that changes is the array's
// size.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/IndexRange.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Mangle.h>

namespace warpwright {
namespace {

constexpr const char *id = "pad-shared-array";
constexpr int64_t largestPad = 4;

/// How the kernel uses one shared array, read from the AST of the function that declares it.
struct ArrayUse {
  const clang::VarDecl *array = nullptr;
  const clang::Stmt *escape = nullptr;    ///< a use that is not a complete subscript
  const clang::Expr *unbounded = nullptr; ///< a subscript that was not proved to stay within its extent
};

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
  UseVisitor(const clang::ASTContext &ast, const IndexRanges &ranges, ArrayUse &use)
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
  ArrayUse &use_;
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

/// The type location of the innermost dimension, whose extent is the length of a row.
clang::ArrayTypeLoc innermostDimension(const clang::VarDecl &array) {
  clang::ArrayTypeLoc innermost;
  clang::TypeLoc location = array.getTypeSourceInfo()->getTypeLoc();
  while (auto dimension = location.getAsAdjusted<clang::ArrayTypeLoc>()) {
    innermost = dimension;
    location = dimension.getElementLoc();
  }
  return innermost;
}

/// Arrays declared in one statement share their extents' text with nothing, but an extent that is not a plain
/// literal or name needs brackets before something is added to it.
bool needsBrackets(const clang::Expr *extent) {
  extent = extent->IgnoreImpCasts();
  return !llvm::isa<clang::IntegerLiteral, clang::DeclRefExpr, clang::ParenExpr,
                    clang::SubstNonTypeTemplateParmExpr>(extent);
}

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), ast_(context.unit.ast()), edits_(ast_) {}

  llvm::Expected<Proposals> propose() {
    const clang::FunctionDecl &kernel = *context_.analysis.kernel.declaration;
    ArrayFinder finder(ast_);
    finder.TraverseStmt(kernel.getBody());
    for (const clang::VarDecl *array : finder.arrays)
      consider(kernel, *array);
    return std::move(proposals_);
  }

private:
  void consider(const clang::FunctionDecl &kernel, const clang::VarDecl &array) {
    std::optional<ConflictDegree> before = context_.analysis.conflictsOf(symbolOf(array));
    if (!before)
      return decline(array, "no launch is known, so the conflicts cannot be counted");
    if (before->conflicts == 0)
      return; // nothing to gain, nothing to say
    IndexRanges ranges(ast_, kernel, context_.analysis.knownBlock());
    ArrayUse use{&array};
    UseVisitor visitor(ast_, ranges, use);
    visitor.TraverseStmt(kernel.getBody());
    visitor.finish();
    if (use.escape)
      return decline(array, "its address escapes at line " + lineOf(use.escape->getBeginLoc()));
    if (use.unbounded)
      return decline(array, "the subscript '" + edits_.textOf(use.unbounded->getSourceRange()).value_or("?") +
                                "' at line " + lineOf(use.unbounded->getBeginLoc()) +
                                " was not proved to stay within its extent");
    for (int64_t pad = 1; pad <= largestPad; ++pad)
      add(array, pad, *before);
  }

  void add(const clang::VarDecl &array, int64_t pad, const ConflictDegree &before) {
    clang::ArrayTypeLoc dimension = innermostDimension(array);
    const clang::Expr *extent = dimension ? dimension.getSizeExpr() : nullptr;
    std::optional<std::string> text = extent ? edits_.textOf(extent->getSourceRange()) : std::nullopt;
    std::string reason = "rows of '" + array.getNameAsString() + "' " + std::to_string(pad) +
                         (pad == 1 ? " element" : " elements") +
                         " longer, so that a column spreads over the banks";
    std::optional<Edit> edit;
    if (text)
      edit = edits_.replace(extent->getSourceRange(),
                            (needsBrackets(extent) ? "(" + *text + ")" : *text) + " + " + std::to_string(pad),
                            reason);
    if (!edit) {
      if (pad == 1)
        decline(array, "its extent comes out of a macro or a header, where other code may use it");
      return;
    }
    edit->expectedGain = "fewer than " + std::to_string(before.conflicts) + " bank conflicts in " +
                         std::to_string(before.requests) + " requests";
    edit->risk = "more shared memory a block";
    Candidate candidate;
    candidate.rewriter = id;
    candidate.kernelKey = context_.analysis.kernel.key;
    candidate.parameters["pad"] = pad;
    candidate.subject = array.getNameAsString();
    candidate.claims.push_back({"fewer-bank-conflicts", symbolOf(array)});
    candidate.edits.push_back(std::move(*edit));
    proposals_.candidates.push_back(std::move(candidate));
  }

  std::string symbolOf(const clang::VarDecl &array) const {
    return clang::ASTNameGenerator(context_.unit.ast()).getName(&array);
  }

  std::string lineOf(clang::SourceLocation location) const {
    return std::to_string(placeOf(location, ast_.getSourceManager()).line);
  }

  void decline(const clang::VarDecl &array, std::string reason) {
    proposals_.declines.push_back({id, context_.analysis.kernel.key,
                                   placeOf(array.getLocation(), ast_.getSourceManager()),
                                   "'" + array.getNameAsString() + "': " + std::move(reason)});
  }

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  EditBuilder edits_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposePadSharedArray(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
