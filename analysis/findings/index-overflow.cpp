// An index whose arithmetic leaves 32 bits for an annotated shape: it wraps, and another element is accessed.

#include "analysis/findings/Hazards.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <bit>

namespace warpwright {
namespace {

constexpr const char *id = "index-overflow";
using Kind = simt::Hazard::Kind;

} // namespace

std::vector<Finding> findIndexOverflows(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const SeenHazard &seen : hazardsOf(analysis)) {
    const simt::Hazard &hazard = seen.hazard;
    if ((hazard.kind != Kind::SignedOverflow && hazard.kind != Kind::UnsignedOverflow) ||
        seen.launch->assumed)
      continue;
    Place place = userPlace(analysis, *hazard.instruction);
    if (llvm::any_of(findings, [&](const Finding &known) { return known.place == place; }))
      continue; // copies that unrolling and inlining made
    __int128 exact =
        hazard.product ? __int128(hazard.left) * hazard.right : __int128(hazard.left) + hazard.right;
    std::string text = std::to_string(hazard.left) + (hazard.product ? " * " : " + ") +
                       std::to_string(hazard.right) + " = " + std::to_string(int64_t(exact));
    Finding finding =
        findingAt(id, place,
                  "index arithmetic overflows " +
                      std::string(hazard.kind == Kind::SignedOverflow ? "int" : "unsigned int") + ": " +
                      text + " in the last block (" + seen.launch->label + ")");
    finding.evidence = {{"left operand", double(hazard.left)}, {"right operand", double(hazard.right)}};
    finding.confidence = confidenceOf(seen, 0.95);
    finding.advice =
        "compute the index in 64 bits: make one operand size_t or long long before the operation";
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace warpwright
