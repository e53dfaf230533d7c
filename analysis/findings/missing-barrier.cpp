// Shared memory that threads of one warp read and those of another write, with no barrier between: who comes
// first is chance. Threads of one warp are left out, and so are kernels that order threads by other means
// than __syncthreads().

#include "analysis/findings/Hazards.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <bit>

namespace warpwright {
namespace {

constexpr const char *id = "missing-barrier";
using Kind = simt::Hazard::Kind;

} // namespace

std::vector<Finding> findMissingBarriers(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const SeenHazard &seen : hazardsOf(analysis)) {
    const simt::Hazard &hazard = seen.hazard;
    if (hazard.kind != Kind::SharedRace)
      continue;
    Place place = userPlace(analysis, *hazard.instruction);
    if (llvm::any_of(findings, [&](const Finding &known) { return known.place == place; }))
      continue; // copies that unrolling and inlining made
    std::string order = hazard.writeLast ? " is overwritten by thread " : " is written by thread ";
    Finding finding =
        findingAt(id, place,
                  "what thread " + threadText(*seen.launch, hazard.thread) + " reads here" + order +
                      threadText(*seen.launch, hazard.otherThread) +
                      " of another warp, and no barrier stands between (" + seen.launch->label + ")");
    finding.evidence = {{"thread that reads", double(hazard.thread)},
                        {"thread that writes", double(hazard.otherThread)}};
    finding.notes.push_back({userPlace(analysis, *hazard.other), "the write"});
    finding.confidence = confidenceOf(seen, 0.9);
    finding.advice = "let the whole block meet at __syncthreads() between the two";
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace warpwright
