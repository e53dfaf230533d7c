#include "feedback/evaluators/cuda/runner/Statistics.h"

#include "feedback/evaluators/values/Initialisation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

namespace warpwright::runner {
namespace {

constexpr size_t resamples = 2000;
constexpr double tail = 0.005;

/// The 99 % interval of `statistic` over resampled pairs. Random numbers come from a fixed stream: a verdict
/// must be a function of the samples.
Interval bootstrap(const std::vector<double> &first, const std::vector<double> &second,
                   const std::function<double(double, double)> &statistic) {
  assert(first.size() == second.size() && !first.empty() && "samples come in pairs");
  const uint64_t key = values::streamKey(0, "bootstrap");
  size_t count = first.size();
  uint64_t draw = 0;
  std::vector<double> statistics(resamples), one(count), other(count);
  for (double &value : statistics) {
    for (size_t i = 0; i < count; ++i) {
      size_t pair = values::bitsAt(key, draw++) % count;
      one[i] = first[pair];
      other[i] = second[pair];
    }
    value = statistic(median(one), median(other));
  }
  std::sort(statistics.begin(), statistics.end());
  auto at = [&](double share) { return statistics[static_cast<size_t>(share * (resamples - 1) + 0.5)]; };
  return {at(tail), at(1 - tail)};
}

} // namespace

double median(std::vector<double> samples) {
  assert(!samples.empty() && "no samples have no median");
  size_t middle = samples.size() / 2;
  std::nth_element(samples.begin(), samples.begin() + middle, samples.end());
  if (samples.size() % 2)
    return samples[middle];
  return (samples[middle] + *std::max_element(samples.begin(), samples.begin() + middle)) / 2;
}

Interval medianInterval(std::vector<double> samples) {
  assert(!samples.empty() && "no samples have no median");
  std::sort(samples.begin(), samples.end());
  if (samples.size() < 6)
    return {samples.front(), samples.back()};
  auto count = static_cast<double>(samples.size());
  double reach = 1.96 * std::sqrt(count) / 2;
  auto low = static_cast<size_t>(std::max(0.0, std::floor(count / 2 - reach)));
  auto high = static_cast<size_t>(std::min(count - 1, std::ceil(count / 2 + reach)));
  return {samples[low], samples[high]};
}

double relativeHalfWidth(const std::vector<double> &samples) {
  Interval interval = medianInterval(samples);
  return (interval.high - interval.low) / 2 / median(samples);
}

Ratio ratioOfMedians(const std::vector<double> &original, const std::vector<double> &candidate) {
  auto ratio = [](double before, double after) { return after / before; };
  return {ratio(median(original), median(candidate)), bootstrap(original, candidate, ratio)};
}

double noiseFloor(const Ratio &twin) {
  return std::max(twin.interval.high - 1, 1 - twin.interval.low);
}

std::string_view toString(Comparison comparison) {
  switch (comparison) {
  case Comparison::Ambiguous:
    return "AMBIGUOUS";
  case Comparison::Faster:
    return "FASTER";
  case Comparison::Same:
    return "SAME";
  case Comparison::Slower:
    return "SLOWER";
  }
  return "";
}

Comparison compare(const Ratio &ratio, double noise) {
  double margin = std::max(smallestMargin, noise);
  if (ratio.interval.high < 1 - margin)
    return Comparison::Faster;
  if (ratio.interval.low > 1 + margin)
    return Comparison::Slower;
  bool within = ratio.interval.low >= 1 - margin && ratio.interval.high <= 1 + margin;
  return within && margin <= largestNoise ? Comparison::Same : Comparison::Ambiguous;
}

bool gainVanishes(const std::vector<double> &originalHere, const std::vector<double> &candidateHere,
                  const std::vector<double> &originalThere, const std::vector<double> &candidateThere) {
  double gained = median(originalHere) - median(candidateHere);
  if (gained <= 0)
    return false;
  Interval there =
      bootstrap(originalThere, candidateThere, [](double before, double after) { return before - after; });
  return there.high < gained / 2;
}

bool agree(double firstMedian, double secondMedian) {
  return std::fabs(firstMedian - secondMedian) <= repeatLimit * std::min(firstMedian, secondMedian);
}

} // namespace warpwright::runner
