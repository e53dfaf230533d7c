// threadIdx, blockIdx and blockDim are unsigned: a difference that goes below zero is a number near 2^32 once
// it becomes a 64-bit index or a floating-point number, or is compared.

#include "analysis/ast/UnsignedTraps.h"
#include "analysis/findings/Hazards.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <bit>

namespace warpwright {
namespace {

constexpr const char *id = "unsigned-wrap";
using Kind = simt::Hazard::Kind;

std::string describe(const UnsignedTrap &trap) {
  if (trap.isMixed)
    return "'" + trap.what + "' is " + std::to_string(trap.negative) +
           " in the first thread, and is compared with the unsigned '" + trap.other + "' as " +
           std::to_string(trap.negative + (int64_t(1) << 32));
  return "'" + trap.what + "' is unsigned and never below zero: this comparison is always " +
         (trap.alwaysTrue ? "true" : "false") + (trap.endsLoop ? ", and the loop does not end by it" : "");
}

Finding findingOf(const UnsignedTrap &trap) {
  Finding finding = findingAt(id, trap.place, describe(trap));
  finding.confidence = 0.95;
  finding.advice = trap.isMixed ? "make the unsigned operand signed: int(" + trap.other + ")"
                   : trap.endsLoop
                       ? "count with a signed number, or down to zero with '" + trap.what + " > 0'"
                       : "make the operands signed before the subtraction: int(blockDim.x)";
  return finding;
}

} // namespace

std::vector<Finding> findUnsignedWraps(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const UnsignedTrap &trap : findUnsignedTraps(*analysis.kernel.declaration))
    findings.push_back(findingOf(trap));
  for (const SeenHazard &seen : hazardsOf(analysis)) {
    const simt::Hazard &hazard = seen.hazard;
    if (hazard.kind != Kind::UnsignedUnderflow || seen.launch->assumed)
      continue;
    Place place = userPlace(analysis, *hazard.instruction);
    if (llvm::any_of(findings, [&](const Finding &known) { return known.place == place; }))
      continue; // copies that unrolling and inlining made
    Finding finding =
        findingAt(id, place,
                  "this unsigned difference is " + std::to_string(hazard.left) + " in thread " +
                      threadText(*seen.launch, hazard.thread) + ", which is used as " +
                      std::to_string(hazard.left + (int64_t(1) << 32)) + " (" + seen.launch->label + ")");
    finding.evidence = {{"difference", double(hazard.left)}};
    finding.confidence = confidenceOf(seen, 0.95);
    finding.advice = "make an operand signed before the subtraction: int(threadIdx.x)";
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace warpwright
