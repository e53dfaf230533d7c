// A shuffle, vote, match or reduction of a warp whose mask names lanes that are elsewhere, or leaves out
// lanes that take part: what it returns is undefined. Lanes that have ended may be named.

#include "analysis/findings/Hazards.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <bit>

namespace warpwright {
namespace {

constexpr const char *id = "partial-warp-exchange";
using Kind = simt::Hazard::Kind;

} // namespace

std::vector<Finding> findPartialWarpExchanges(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const SeenHazard &seen : hazardsOf(analysis)) {
    const simt::Hazard &hazard = seen.hazard;
    if (hazard.kind != Kind::AbsentLanes && hazard.kind != Kind::OutsideMask)
      continue;
    Place place = userPlace(analysis, *hazard.instruction);
    if (llvm::any_of(findings, [&](const Finding &known) { return known.place == place; }))
      continue; // copies that unrolling and inlining made
    unsigned here = std::popcount(hazard.here), named = std::popcount(hazard.named);
    std::string what = hazard.kind == Kind::AbsentLanes
                           ? std::to_string(here) + " lanes of the warp run this, but its mask names " +
                                 std::to_string(named) + ", of which others are elsewhere"
                           : "lanes run this that its mask does not name: " + std::to_string(here) +
                                 " run it, the mask names " + std::to_string(named);
    Finding finding = findingAt(id, place, what + "; the result is undefined (" + seen.launch->label + ")");
    finding.evidence = {{"lanes that run it", double(here)}, {"lanes that the mask names", double(named)}};
    finding.confidence = confidenceOf(seen, 0.95);
    finding.advice = "let all lanes of the mask reach it, by moving it out of the branch, or take the mask "
                     "with __ballot_sync() "
                     "before the branch, from its condition";
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace warpwright
