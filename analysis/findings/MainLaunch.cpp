#include "analysis/findings/MainLaunch.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>

#include <numeric>

namespace warpwright {

const LaunchEvaluation *mainLaunch(const KernelAnalysis &analysis) {
  return analysis.launches.empty() ? nullptr : &analysis.launches.front();
}

double weaken(double confidence, const LaunchEvaluation &launch, simt::CountGrade grade) {
  constexpr double ofSupposition = 0.6;
  constexpr double ofSampling = 0.9;
  if (launch.assumed)
    confidence *= ofSupposition;
  if (grade == simt::CountGrade::Estimated)
    return confidence * ofSampling;
  return grade == simt::CountGrade::Exact ? confidence : confidence * ofSupposition;
}

bool samePlace(const Place &left, const Place &right) {
  return left.known() && left.line == right.line && left.column == right.column &&
         llvm::sys::path::filename(left.file) == llvm::sys::path::filename(right.file);
}

simt::BranchTally branchesAt(const LaunchEvaluation &launch, const Place &place) {
  simt::BranchTally sum;
  for (const simt::BranchCounters &branch : launch.counters.branches)
    if (samePlace(branch.place, place))
      sum += branch.tally;
  return sum;
}

simt::AccessTally accessesAt(const LaunchEvaluation &launch, const Place &place) {
  simt::AccessTally sum;
  for (const simt::AccessCounters &access : launch.counters.accesses)
    if (samePlace(access.place, place))
      sum += access.tally;
  return sum;
}

uint64_t warpInstructions(const LaunchEvaluation &launch) {
  const auto &warp = launch.counters.instructions.warp;
  return std::accumulate(warp.begin(), warp.end(), uint64_t(0));
}

std::string counted(uint64_t count, llvm::StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

std::string percent(double share) {
  return llvm::formatv("{0:F0}%", share * 100).str();
}

Finding findingAt(llvm::StringRef id, const Place &place, std::string message) {
  Finding finding;
  finding.id = id.str();
  finding.place = place;
  finding.message = std::move(message);
  return finding;
}

} // namespace warpwright
