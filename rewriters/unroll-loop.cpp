// Runs several iterations of a loop side by side, each with sums of its own, where an iteration waits for the
// sum of the one before.
//
// Legal where the loop does nothing with the sums but gather in them, and sums that round may be taken in
// another order. Every other thing that an iteration does keeps its place: iterations run in the order they
// had. What is left over at the end runs one by one.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/loops/UnrolledLoop.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <functional>

namespace warpwright {
namespace {

constexpr const char *id = "unroll-loop";
constexpr unsigned factors[] = {4, 2, 8};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id) {}

  llvm::Expected<Proposals> propose() {
    for (const CanonicalLoop &loop : findCanonicalLoops(kernel_, ast_, analysis_.facts))
      consider(loop);
    return std::move(proposals_);
  }

private:
  void consider(const CanonicalLoop &loop) {
    if (!loop.facts || !loop.facts->innermost || loop.facts->containsBarrier || !waits(loop))
      return;
    const clang::SourceManager &sources = ast_.getSourceManager();
    std::vector<LoopReduction> reductions;
    for (const clang::VarDecl *variable : loop.changes.changed()) {
      bool inside = sources.isPointWithin(variable->getLocation(), loop.statement->getBeginLoc(),
                                          loop.statement->getEndLoc());
      std::optional<LoopReduction> reduction = inside ? std::nullopt : reductionOf(loop, *variable);
      if (!reduction)
        continue;
      if (reduction->rounds && !analysis_.annotation->allows(Permission::Reassociate))
        return declineLoop(loop.statement->getForLoc(),
                           "'" + variable->getNameAsString() +
                               "' is a floating-point sum and would be taken in another order, which needs "
                               "allow(reassociate)");
      reductions.push_back(std::move(*reduction));
    }
    if (reductions.empty())
      return declineLoop(loop.statement->getForLoc(),
                         "what goes from one iteration to the next is no reduction of the loop's own");
    if (std::string why = whyNot(loop); !why.empty())
      return declineLoop(loop.statement->getForLoc(), why);
    llvm::sort(reductions, [](const LoopReduction &left, const LoopReduction &right) {
      return left.variable->getLocation() < right.variable->getLocation();
    });
    UnrolledLoop unrolled(context_, kernel_, loop, reductions);
    for (unsigned factor : factors)
      add(loop, unrolled, reductions, factor);
    ++position_;
  }

  /// Some chain of the loop is a reduction: its latency is what an iteration takes.
  bool waits(const CanonicalLoop &loop) const {
    bool small =
        loop.facts->tripCount.known() && loop.facts->tripCount.value().asConstant().value_or(64) < 16;
    return !small && !loop.reductions.empty();
  }

  std::string whyNot(const CanonicalLoop &loop) const {
    if (!loop.upward || loop.inclusive || loop.notEqual || !loop.declaresCounter ||
        (loop.constantStep && *loop.constantStep != 1))
      return "it does not count upwards to a bound by one or by a variable";
    if (!ast_.hasSameType(loop.counter->getType().getUnqualifiedType(),
                          loop.bound->IgnoreImpCasts()->getType().getUnqualifiedType()))
      return "its counter and its bound have different types";
    std::function<bool(const clang::Stmt *)> stands = [&](const clang::Stmt *statement) {
      const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement);
      return statement && ((compound && llvm::is_contained(compound->body(), loop.statement)) ||
                           llvm::any_of(statement->children(), stands));
    };
    if (!stands(kernel_.getBody()))
      return "it is the only statement of another, or a pragma belongs to it";
    return {};
  }

  void add(const CanonicalLoop &loop, UnrolledLoop &unrolled, llvm::ArrayRef<LoopReduction> reductions,
           unsigned factor) {
    std::optional<Edit> edit = unrolled.edit(factor, position_);
    if (!edit) {
      if (factor == factors[0])
        declineLoop(loop.statement->getForLoc(), "part of it comes out of a macro or a header");
      return;
    }
    edit->reason = "each iteration waits for the last one's sum; " + std::to_string(factor) + " sums do not";
    edit->expectedGain =
        "a chain of a " + std::to_string(factor) + "th of the length, and loads that overlap";
    edit->risk = llvm::any_of(reductions, [](const LoopReduction &reduction) { return reduction.rounds; })
                     ? "sums are taken in another order; more registers"
                     : "more registers";
    Candidate candidate;
    candidate.subject = "the loop at line " + std::to_string(lineOf(loop.statement->getForLoc()));
    candidate.parameters["factor"] = factor;
    candidate.claims.push_back({"parallel-sums", {}, factor});
    candidate.edits.push_back(std::move(*edit));
    offer(std::move(candidate));
  }

  unsigned position_ = 0; ///< of the loop among those that are written anew
};

} // namespace

llvm::Expected<Proposals> proposeUnrollLoop(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
