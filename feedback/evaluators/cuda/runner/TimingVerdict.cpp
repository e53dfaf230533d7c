#include "feedback/evaluators/cuda/runner/TimingVerdict.h"

#include <algorithm>

namespace warpwright::runner {
namespace {

// The device is idle a few microseconds after the last event, as the host sees it; work that is hidden there
// would have to be a good part of the run to be worth hiding. Events see the streams that the plan names
// itself.
constexpr double hiddenMicroseconds = 15;
constexpr double hiddenShare = 0.05;

bool worksAfterEnd(const Timings &timings) {
  if (timings.afterEnd.candidate.empty())
    return false;
  double later = median(timings.afterEnd.candidate) - median(timings.afterEnd.original);
  double share = hiddenShare * median(timings.warm.candidate);
  if (!timings.otherStreams.candidate.empty() && median(timings.otherStreams.candidate) > share)
    return true;
  return later > std::max(hiddenMicroseconds, share);
}

bool vanishes(const Series &here, const Series &there) {
  return !there.candidate.empty() &&
         gainVanishes(here.original, here.candidate, there.original, there.candidate);
}

} // namespace

TimingVerdict judgeTimings(const Timings &timings, const TimingContext &context) {
  TimingVerdict verdict;
  if (!timings.twin.empty())
    verdict.noise = noiseFloor(ratioOfMedians(timings.warm.original, timings.twin));
  if (timings.warm.candidate.empty())
    return verdict;
  verdict.warmRatio = ratioOfMedians(timings.warm.original, timings.warm.candidate);
  verdict.warm = compare(verdict.warmRatio, verdict.noise);
  if (!timings.cold.candidate.empty()) {
    verdict.coldRatio = ratioOfMedians(timings.cold.original, timings.cold.candidate);
    verdict.cold = compare(verdict.coldRatio, verdict.noise);
  }
  verdict.comparison = context.coldDecides || context.asksForPersistingLines ? verdict.cold : verdict.warm;
  if (!timings.stable)
    verdict.comparison = Comparison::Ambiguous;
  verdict.worksAfterEnd = worksAfterEnd(timings);
  if (verdict.warm != Comparison::Faster)
    return verdict;
  verdict.dependsOnState = vanishes(timings.warm, timings.fresh);
  verdict.needsPersistingCache =
      (context.exceedsCache || context.asksForPersistingLines) && vanishes(timings.warm, timings.cold);
  return verdict;
}

} // namespace warpwright::runner
