// A warp stays in a loop until its last lane is done. Where lanes leave it in different iterations, the
// others idle. Counted over the main launch as the share of lanes that are still in the loop; where a loaded
// number says how long a lane stays, nothing can be counted, and only the plain case is named: a bound that
// neighbouring lanes read from different addresses.

#include "analysis/findings/MainLaunch.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace warpwright {
namespace {

constexpr const char *id = "divergent-loop";
constexpr double enoughLanes = 0.7;
constexpr double leastDivergence =
    0.05;                          ///< of the executions of the exit; the end of a grid-stride loop is below
constexpr double leastShare = 0.1; ///< of the instructions of the launch
/// Passes that a warp's lanes idle on average, each time it goes through the loop. Lanes that leave one
/// iteration apart, as in the last round over a tile, have work of equal length already.
constexpr double leastIdlePasses = 1;

bool inSingleThread(const KernelFacts &facts, unsigned loop) {
  return llvm::any_of(facts.sections, [&](const SingleThreadSection &section) {
    return llvm::is_contained(section.loops, loop);
  });
}

struct Exits {
  simt::BranchTally tally;
  uint64_t entries = 0; ///< how often a warp went through the loop: its last lanes leave together
};

/// Warps with a lane on the side of the branch that leaves its loop.
uint64_t leavingWarps(const simt::BranchCounters &branch) {
  const auto *jump = llvm::dyn_cast<llvm::BranchInst>(branch.instruction);
  if (!jump || !jump->isConditional())
    return 0;
  llvm::DominatorTree dominators(const_cast<llvm::Function &>(*jump->getFunction()));
  llvm::LoopInfo loops(dominators);
  const llvm::Loop *loop = loops.getLoopFor(jump->getParent());
  if (!loop)
    return 0;
  return (loop->contains(jump->getSuccessor(0)) ? 0 : branch.tally.takenWarps) +
         (loop->contains(jump->getSuccessor(1)) ? 0 : branch.tally.notTakenWarps);
}

Exits exitsOf(const KernelFacts &facts, unsigned loop, const LaunchEvaluation &launch) {
  Exits exits;
  std::vector<Place> places;
  for (const DivergentBranch &branch : facts.branches)
    if (branch.loopExit && branch.loop == loop && !llvm::is_contained(places, branch.place.place))
      places.push_back(branch.place.place);
  for (const simt::BranchCounters &branch : launch.counters.branches) {
    if (llvm::none_of(places, [&](const Place &place) { return samePlace(branch.place, place); }))
      continue;
    exits.tally += branch.tally;
    uint64_t leaving = leavingWarps(branch);
    exits.entries += leaving - std::min(leaving, branch.tally.diverged);
  }
  return exits;
}

std::optional<Finding> describeCounted(const LoopFacts &loop, const Exits &counted,
                                       const LaunchEvaluation &launch) {
  const simt::BranchTally &exits = counted.tally;
  double lanes = double(exits.lanes) / (double(exits.executions) * Architecture::warpSize);
  double divergence = double(exits.diverged) / double(exits.executions);
  double share =
      double(exits.executions) * loop.instructions / double(std::max<uint64_t>(warpInstructions(launch), 1));
  if (lanes >= enoughLanes || divergence < leastDivergence || share < leastShare)
    return std::nullopt;
  double idlePasses = double(exits.executions) * (1 - lanes) / double(std::max<uint64_t>(counted.entries, 1));
  if (idlePasses <= leastIdlePasses)
    return std::nullopt;
  Finding finding = findingAt(id, loop.place.place,
                              "lanes of a warp leave this loop in different iterations: on average " +
                                  percent(lanes) + " of them are still in it (" + launch.label + ")");
  finding.evidence = {{"iterations by warps", double(exits.executions)},
                      {"of those in which only some lanes leave", double(exits.diverged)},
                      {"share of lanes that are in the loop", lanes},
                      {"passes that lanes idle, each time through the loop", idlePasses}};
  finding.confidence = weaken(0.7, launch, launch.counters.grade);
  return finding;
}

/// Lanes of a warp read the loop's bound from different addresses: an integer loaded outside, of the object
/// that the text of the bound names. Addresses do not depend on data, so that the counters know them.
bool boundDiffersByLane(const KernelFacts &facts, const LoopFacts &loop, const LaunchEvaluation &launch) {
  std::string bound = loop.tripCount.value().text();
  return llvm::any_of(facts.accesses, [&](const MemoryAccess &access) {
    bool isBound = access.kind == AccessKind::Read && access.loop != loop.id && !access.dataDependent &&
                   llvm::StringRef(access.elementType).starts_with("i") && access.object.known() &&
                   llvm::StringRef(bound).contains(access.object.value().name + "[");
    if (!isBound)
      return false;
    simt::AccessTally tally = accessesAt(launch, access.place.place);
    return tally.sectors > tally.requests;
  });
}

std::optional<Finding> describeOnData(const KernelFacts &facts, const LoopFacts &loop,
                                      const LaunchEvaluation &launch) {
  bool loadedBound = loop.tripCount.known() && loop.tripCount.value().mentions([](const Symbol &symbol) {
    return symbol.dataDependent && symbol.variesByThread();
  });
  if (!loadedBound || !boundDiffersByLane(facts, loop, launch))
    return std::nullopt;
  Finding finding =
      findingAt(id, loop.place.place,
                "each lane takes its own number of iterations from memory, '" +
                    loop.tripCount.value().text() + "': a warp goes on until its longest lane is done");
  finding.evidence = {{"instructions of the loop", double(loop.instructions)}};
  finding.confidence = 0.4;
  return finding;
}

} // namespace

std::vector<Finding> findDivergentLoops(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  const LaunchEvaluation *launch = mainLaunch(analysis);
  if (!launch)
    return findings;
  for (const LoopFacts &loop : analysis.facts.loops) {
    if (!loop.uniformExit.known() || loop.uniformExit.value() || !loop.place.place.known() ||
        inSingleThread(analysis.facts, loop.id))
      continue;
    Exits exits = exitsOf(analysis.facts, loop.id, *launch);
    std::optional<Finding> finding;
    if (exits.tally.onData == 0 && exits.tally.executions != 0)
      finding = describeCounted(loop, exits, *launch);
    else
      finding = describeOnData(analysis.facts, loop, *launch);
    if (!finding)
      continue;
    finding->advice =
        "let a whole warp share one lane's work, or give lanes of a warp work of equal length, for example "
        "by sorting it";
    findings.push_back(std::move(*finding));
  }
  return findings;
}

} // namespace warpwright
