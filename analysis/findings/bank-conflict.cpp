// Shared memory is served by 32 banks of 4 bytes; lanes of a warp that need different words of one bank wait
// for each other. The rule reads the counters of the main launch: wavefronts beyond those of a conflict-free
// access.

#include "analysis/findings/SourceAccess.h"

namespace warpwright {
namespace {

constexpr const char *id = "bank-conflict";

std::string strideText(const SourceAccess &access) {
  if (!access.fact || !access.fact->laneStride().known() || access.fact->laneStride().value().isZero())
    return "";
  return ", neighbouring threads " + access.fact->laneStride().value().text() + " bytes apart";
}

Finding describe(const SourceAccess &access, const LaunchEvaluation &evaluation) {
  const simt::AccessTally &tally = access.tally;
  Finding finding;
  finding.id = id;
  finding.place = access.place;
  finding.message = "shared " + access.describe() + " takes " +
                    shortNumber(access.perRequest(tally.wavefronts)) + " wavefronts a request instead of " +
                    shortNumber(access.perRequest(tally.wavefronts - tally.bankConflicts)) +
                    strideText(access) + " (" + evaluation.label + ")";
  finding.evidence = {{"requests", double(tally.requests)},
                      {"wavefronts", double(tally.wavefronts)},
                      {"bank conflicts", double(tally.bankConflicts)},
                      {"wavefronts per request", access.perRequest(tally.wavefronts)}};
  finding.confidence = access.confidence(0.95, evaluation);
  finding.advice = "pad the rows of the array or swizzle its columns, so that neighbouring lanes fall into "
                   "different banks";
  return finding;
}

} // namespace

std::vector<Finding> findBankConflicts(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  if (analysis.launches.empty())
    return findings;
  const LaunchEvaluation &main = analysis.launches.front();
  for (const SourceAccess &access : sourceAccesses(analysis, main)) {
    // Lanes of an atomic that meet in one word are serialised-atomics' matter.
    if (access.space != simt::AccessSpace::Shared || access.kind == simt::AccessKind::Atomic)
      continue;
    if (access.tally.bankConflicts != 0 && access.addressIsCounted())
      findings.push_back(describe(access, main));
  }
  return findings;
}

} // namespace warpwright
