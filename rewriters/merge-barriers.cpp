// Leaves out block barriers that order nothing.
//
// Legal where, up to the neighbouring barriers on every way, no access before the barrier can meet one of
// another thread after it, one of the two a write: they are to different memory, or each thread finds again
// only what it touched itself. Memory order within a thread needs no barrier. What is not understood (unknown
// calls, inline PTX, fences, atomics, volatile accesses) counts as meeting everything. All threads must reach
// the barrier: one that some do not reach may be the partner of another.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/BlockInterpreter.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/findings/IdleBarriers.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

namespace warpwright {
namespace {

constexpr const char *id = "merge-barriers";

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id), edits_(kernel_, ast_) {}

  llvm::Expected<Proposals> propose() {
    Candidate candidate;
    for (const IdleBarrier &idle : findIdleBarriers(analysis_))
      consider(idle, candidate);
    candidate.edits = edits_.edits();
    if (candidate.edits.empty())
      return std::move(proposals_);
    candidate.subject = "barriers";
    candidate.claims.push_back({"fewer-barriers", {}});
    llvm::sort(candidate.assumptions);
    candidate.assumptions.erase(llvm::unique(candidate.assumptions), candidate.assumptions.end());
    offer(std::move(candidate));
    return std::move(proposals_);
  }

private:
  void consider(const IdleBarrier &idle, Candidate &candidate) {
    for (const KernelAnalysis *version : context_.versions)
      if (!isIdleIn(*version, idle.place, candidate.assumptions))
        return;
    for (const Synchronisation &fact : analysis_.facts.synchronisations)
      if (samePlace(fact.place.place, idle.place) && fact.divergentControl)
        return decline(idle.place,
                       "a barrier: it orders nothing, but threads may disagree on whether they reach it");
    const clang::Stmt *statement = find(kernel_.getBody(), idle.place);
    if (!statement)
      return decline(
          idle.place,
          "a barrier: it orders nothing, but it is no statement of its own in a block of the kernel");
    edits_.begin("no access before the barrier can meet one of another thread after it",
                 "warps do not wait for each other here",
                 "an order between threads that goes through neither memory nor a barrier");
    CodeLines code;
    code.comment("No barrier here: no thread touches what another has touched since the last one.");
    if (edits_.replaceStatement(*statement, code))
      return;
    edits_.drop();
    decline(idle.place, "a barrier: it orders nothing, but it comes out of a macro or a header");
  }

  static bool isIdleIn(const KernelAnalysis &version, const Place &place,
                       std::vector<std::string> &assumptions) {
    for (const IdleBarrier &idle : findIdleBarriers(version)) {
      if (!samePlace(idle.place, place))
        continue;
      llvm::append_range(assumptions, idle.assumptions);
      return true;
    }
    return false;
  }

  /// The barrier at the place, where it stands among the statements of a block.
  const clang::Stmt *find(const clang::Stmt *code, const Place &place) const {
    if (!code)
      return nullptr;
    const auto *scope = llvm::dyn_cast<clang::CompoundStmt>(code);
    for (const clang::Stmt *child : code->children()) {
      if (scope && isBlockBarrier(child) && samePlace(placeAt(child->getBeginLoc()), place))
        return child;
      if (const clang::Stmt *found = find(child, place))
        return found;
    }
    return nullptr;
  }

  LinkedEdits edits_;
};

} // namespace

llvm::Expected<Proposals> proposeMergeBarriers(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
