// Widens the rows of a shared array, so that the elements of a column no longer lie in one bank.
//
// Legal where every use of the array subscripts it down to an element, and every subscript stays within its
// own extent: then no code can tell how far apart two rows lie. The one thing that changes is the array's
// size.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/layout/SharedArrays.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Mangle.h>

namespace warpwright {
namespace {

constexpr const char *id = "pad-shared-array";
constexpr int64_t largestPad = 4;
/// Where there are several arrays.
constexpr int64_t padsOfAll[] = {1, 2, 4};

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
    for (const clang::VarDecl *array : findSharedArrays(kernel))
      consider(kernel, *array);
    if (conflicting_.size() > 1)
      for (int64_t pad : padsOfAll)
        add(conflicting_, pad);
    for (const Conflicting &array : conflicting_)
      for (int64_t pad = 1; pad <= largestPad; ++pad)
        add(array, pad);
    return std::move(proposals_);
  }

private:
  void consider(const clang::FunctionDecl &kernel, const clang::VarDecl &array) {
    std::optional<ConflictDegree> before = context_.analysis.conflictsOf(symbolOf(array));
    if (!before)
      return decline(array, "no launch is known, so the conflicts cannot be counted");
    if (before->conflicts == 0)
      return; // nothing to gain, nothing to say
    SharedArrayUse use = findSharedArrayUse(kernel, array, context_.analysis.knownBlock());
    if (use.escape)
      return decline(array, "its address escapes at line " + lineOf(use.escape->getBeginLoc()));
    if (use.unbounded)
      return decline(array, "the subscript '" + edits_.textOf(use.unbounded->getSourceRange()).value_or("?") +
                                "' at line " + lineOf(use.unbounded->getBeginLoc()) +
                                " was not proved to stay within its extent");
    if (!widened(array, 1, *before))
      return decline(array, "its extent comes out of a macro or a header, where other code may use it");
    conflicting_.push_back({&array, *before});
  }

  /// An array that can be padded, and the conflicts of all accesses to it.
  struct Conflicting {
    const clang::VarDecl *array;
    ConflictDegree before;
  };

  std::optional<Edit> widened(const clang::VarDecl &array, int64_t pad, const ConflictDegree &before) const {
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
    if (!edit)
      return std::nullopt;
    edit->expectedGain = "fewer than " + std::to_string(before.conflicts) + " bank conflicts in " +
                         std::to_string(before.requests) + " requests";
    edit->risk = "more shared memory a block";
    return edit;
  }

  /// All of the arrays at once: what one of them no longer costs, the others hide no more.
  void add(llvm::ArrayRef<Conflicting> arrays, int64_t pad) {
    Candidate candidate;
    candidate.rewriter = id;
    candidate.kernelKey = context_.analysis.kernel.key;
    candidate.parameters["pad"] = pad;
    for (const Conflicting &conflicting : arrays) {
      std::optional<Edit> edit = widened(*conflicting.array, pad, conflicting.before);
      assert(edit && "it was possible with another pad");
      candidate.subject += (candidate.subject.empty() ? "" : ", ") + conflicting.array->getNameAsString();
      candidate.claims.push_back({"fewer-bank-conflicts", symbolOf(*conflicting.array)});
      candidate.edits.push_back(std::move(*edit));
    }
    llvm::sort(candidate.edits,
               [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
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
  std::vector<Conflicting> conflicting_;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposePadSharedArray(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
