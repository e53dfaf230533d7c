// Shared memory is served by 32 banks of 4 bytes; lanes of a warp that need different words of one bank wait
// for each other. The rule reads the counters of the main launch: wavefronts beyond those of a conflict-free
// access.

#include "analysis/KernelAnalysis.h"

#include <llvm/Support/FormatVariadic.h>

namespace warpwright {
namespace {

constexpr const char *id = "bank-conflict";

Finding describe(const simt::AccessCounters &access, const LaunchEvaluation &evaluation) {
  double perRequest = double(access.tally.wavefronts) / double(access.tally.requests);
  double ideal = double(access.tally.wavefronts - access.tally.bankConflicts) / double(access.tally.requests);
  Finding finding;
  finding.id = id;
  finding.place = access.place;
  finding.message = std::string("shared ") + simt::toString(access.kind) + " takes " +
                    llvm::formatv("{0:F1}", perRequest).str() + " wavefronts a request instead of " +
                    llvm::formatv("{0:F1}", ideal).str() + " (" + evaluation.label + ")";
  finding.evidence = {{"requests", double(access.tally.requests)},
                      {"wavefronts", double(access.tally.wavefronts)},
                      {"bank conflicts", double(access.tally.bankConflicts)}};
  finding.confidence = evaluation.assumed || access.grade != simt::CountGrade::Exact ? 0.6 : 0.95;
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
  for (const simt::AccessCounters &access : main.counters.accesses)
    if (access.space == simt::AccessSpace::Shared && access.tally.bankConflicts != 0)
      findings.push_back(describe(access, main));
  return findings;
}

} // namespace warpwright
