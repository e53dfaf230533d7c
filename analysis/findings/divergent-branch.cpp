// Lanes of a warp that disagree on a branch run its sides one after the other. How often they do is counted
// over the main launch; what could be avoided is the issue of a side in more warps than its lanes would fill.
// Guards at the edge of the data and branches for one thread are how kernels are written, and stay silent.

#include "analysis/findings/MainLaunch.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace warpwright {
namespace {

constexpr const char *id = "divergent-branch";
/// The machine predicates shorter sides, which costs no branch.
constexpr unsigned predicatedInstructions = 4;
/// Sides that both cost this much are worth a word even where data decides and nothing can be counted.
constexpr unsigned heavyInstructions = 8;
/// What one lane does for its warp, a result handed on, is short and has no other lane to give it to.
constexpr unsigned handedOnInstructions = 16;
constexpr double leastDivergence = 0.1; ///< of the branch's executions
constexpr double leastShare = 0.05;     ///< of all instructions of the launch

/// Entries of sections that one thread of each block or row runs.
bool entersSection(const KernelFacts &facts, const DivergentBranch &branch) {
  return llvm::any_of(facts.sections, [&](const SingleThreadSection &section) {
    return samePlace(section.place.place, branch.place.place);
  });
}

/// Warp instructions that would not be issued if the lanes of a block were sorted by side.
double avoidable(uint64_t warps, uint64_t lanes, unsigned instructions, const Launch &launch, double visits) {
  double lanesAVisit = double(lanes) / (double(launch.grid.count()) * visits);
  double needed = std::ceil(lanesAVisit / Architecture::warpSize) * double(launch.grid.count()) * visits;
  return std::max(0.0, double(warps) - needed) * instructions;
}

/// One lane of each warp takes a short side, and the others have none.
bool handsOn(const DivergentBranch &branch, const simt::BranchTally &tally) {
  bool taken = branch.instructionsTaken != 0;
  return std::min(branch.instructionsTaken, branch.instructionsNotTaken) == 0 &&
         std::max(branch.instructionsTaken, branch.instructionsNotTaken) <= handedOnInstructions &&
         (taken ? tally.takenLanes <= tally.takenWarps : tally.notTakenLanes <= tally.notTakenWarps);
}

std::string sidesText(const DivergentBranch &branch, const simt::BranchTally &tally) {
  unsigned taken = branch.instructionsTaken, notTaken = branch.instructionsNotTaken;
  if (taken != 0 && notTaken != 0)
    return "its sides of " + std::to_string(taken) + " and " + std::to_string(notTaken) +
           " instructions run one after the other";
  uint64_t warps = taken ? tally.takenWarps : tally.notTakenWarps;
  uint64_t lanes = taken ? tally.takenLanes : tally.notTakenLanes;
  return counted(taken + notTaken, "instruction") + " run with " +
         percent(double(lanes) / (double(warps) * Architecture::warpSize)) + " of the lanes";
}

std::optional<Finding> describeCounted(const DivergentBranch &branch, const simt::BranchTally &tally,
                                       const LaunchEvaluation &evaluation) {
  const Launch &launch = evaluation.launch;
  double divergence = double(tally.diverged) / double(tally.executions);
  uint64_t warpsOfLaunch =
      launch.grid.count() * llvm::divideCeil(launch.block.count(), uint64_t(Architecture::warpSize));
  double visits = std::max(1.0, double(tally.executions) / double(warpsOfLaunch));
  double wasted =
      avoidable(tally.takenWarps, tally.takenLanes, branch.instructionsTaken, launch, visits) +
      avoidable(tally.notTakenWarps, tally.notTakenLanes, branch.instructionsNotTaken, launch, visits);
  double share = wasted / double(std::max<uint64_t>(warpInstructions(evaluation), 1));
  if (divergence < leastDivergence || share < leastShare)
    return std::nullopt;
  Finding finding =
      findingAt(id, branch.place.place,
                "lanes of a warp disagree on '" + branch.condition + "' in " + percent(divergence) +
                    " of its executions: " + sidesText(branch, tally) + " (" + evaluation.label + ")");
  finding.evidence = {{"executions by warps", double(tally.executions)},
                      {"of those divergent", double(tally.diverged)},
                      {"avoidable warp instructions", std::round(wasted)},
                      {"avoidable share of the launch", std::min(share, 1.0)}};
  finding.confidence = weaken(0.8, evaluation, evaluation.counters.grade);
  return finding;
}

/// Zero-filled buffers would give every lane the same data: nothing to count.
std::optional<Finding> describeOnData(const DivergentBranch &branch) {
  if (std::min(branch.instructionsTaken, branch.instructionsNotTaken) < heavyInstructions)
    return std::nullopt;
  Finding finding = findingAt(
      id, branch.place.place,
      "loaded data decides '" + branch.condition + "': where lanes of a warp disagree, its sides of " +
          std::to_string(branch.instructionsTaken) + " and " + std::to_string(branch.instructionsNotTaken) +
          " instructions run one after the other");
  finding.evidence = {{"instructions where true", double(branch.instructionsTaken)},
                      {"instructions where false", double(branch.instructionsNotTaken)}};
  finding.confidence = 0.3;
  return finding;
}

} // namespace

std::vector<Finding> findDivergentBranches(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  const LaunchEvaluation *launch = mainLaunch(analysis);
  for (const DivergentBranch &branch : analysis.facts.branches) {
    unsigned heavier = std::max(branch.instructionsTaken, branch.instructionsNotTaken);
    if (branch.loopExit || branch.boundsGuard || heavier <= predicatedInstructions ||
        entersSection(analysis.facts, branch))
      continue;
    simt::BranchTally tally = launch ? branchesAt(*launch, branch.place.place) : simt::BranchTally();
    std::optional<Finding> finding;
    if (branch.dataDependent || tally.onData != 0)
      finding = describeOnData(branch);
    else if (tally.diverged != 0 && !handsOn(branch, tally))
      finding = describeCounted(branch, tally, *launch);
    if (!finding)
      continue;
    finding->advice =
        "let the condition be the same for all lanes of a warp: give neighbouring threads the same side's "
        "work, or compute both sides without a branch where they are short";
    findings.push_back(std::move(*finding));
  }
  return findings;
}

} // namespace warpwright
