// A barrier of the block that some of its threads reach while others go round it: the first wait for threads
// that do not come, or go on without them. Threads that have ended are not waited for, and are no matter
// here.

#include "analysis/findings/Hazards.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <bit>

namespace warpwright {
namespace {

constexpr const char *id = "divergent-barrier";
using Kind = simt::Hazard::Kind;

} // namespace

std::vector<Finding> findDivergentBarriers(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const SeenHazard &seen : hazardsOf(analysis)) {
    const simt::Hazard &hazard = seen.hazard;
    if (hazard.kind != Kind::DivergentBarrier && hazard.kind != Kind::UnequalBarriers)
      continue;
    Place place = userPlace(analysis, *hazard.instruction);
    if (llvm::any_of(findings, [&](const Finding &known) { return known.place == place; }))
      continue; // copies that unrolling and inlining made
    bool inWarp = hazard.kind == Kind::DivergentBarrier;
    unsigned here = std::popcount(hazard.here), live = std::popcount(hazard.named);
    std::string who =
        inWarp ? std::to_string(here) + " of " + std::to_string(live) + " lanes of the warp of thread " +
                     threadText(*seen.launch, hazard.thread) + " wait at this barrier, the others go round it"
               : "the warp of thread " + threadText(*seen.launch, hazard.thread) + " waits at this barrier " +
                     counted(hazard.left, "time") + ", that of thread " +
                     threadText(*seen.launch, hazard.otherThread) + " " + counted(hazard.right, "time");
    Finding finding = findingAt(id, place, who + " (" + seen.launch->label + ")");
    if (inWarp)
      finding.evidence = {{"lanes at the barrier", double(here)}, {"lanes of the warp", double(live)}};
    else
      finding.evidence = {{"barriers of the one warp", double(hazard.left)},
                          {"barriers of the other", double(hazard.right)}};
    finding.confidence = confidenceOf(seen, 0.95);
    finding.advice = "move the barrier out of the branch or loop, so that every thread of the block reaches "
                     "it equally often";
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace warpwright
