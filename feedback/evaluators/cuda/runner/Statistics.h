#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpwright::runner {

/// What two sets of timings say about each other. Times are in any one unit.

struct Interval {
  double low = 0;
  double high = 0;
};

/// The middle value, or the mean of the two in the middle. At least one sample.
double median(std::vector<double> samples);

/// Where the true median lies with 95 % confidence, whatever the distribution: the order statistics at
/// n/2 -+ 1.96 sqrt(n)/2 (binomial). For fewer than six samples, all of them.
Interval medianInterval(std::vector<double> samples);

/// Half the width of medianInterval over the median.
double relativeHalfWidth(const std::vector<double> &samples);

/// median(candidate) / median(original), and where it lies with 99 % confidence.
struct Ratio {
  double value = 1;
  Interval interval;
};

/// The samples are paired: the k-th of both were taken close together in time. The interval is from a
/// bootstrap over pairs (2000 resamples, 0.5th and 99.5th percentile), so that a drifting clock, which moves
/// both, does not widen it. Always gives the same answer for the same samples. Same number of samples, at
/// least one.
Ratio ratioOfMedians(const std::vector<double> &original, const std::vector<double> &candidate);

/// How far two measurements of the same code may be apart: the end farther from 1 of the interval between the
/// original and its twin, less 1.
double noiseFloor(const Ratio &twin);

enum class Comparison { Ambiguous, Faster, Same, Slower };
/// AMBIGUOUS, FASTER, SAME or SLOWER.
std::string_view toString(Comparison comparison);

/// Beyond this noise nothing is called SAME.
inline constexpr double largestNoise = 0.05;
/// Differences below this are not worth a change, however certain they are.
inline constexpr double smallestMargin = 0.01;

/// FASTER or SLOWER when the whole interval lies beyond the margin, SAME when it lies within, AMBIGUOUS
/// otherwise. The margin is the larger of smallestMargin and the noise floor.
Comparison compare(const Ratio &ratio, double noise);

/// Whether what the candidate gained in one situation is gone in another: the time gained there, with 99 %
/// confidence, is below half of that gained here. Differences are compared, not ratios, so that a constant
/// cost of measuring does not matter.
bool gainVanishes(const std::vector<double> &originalHere, const std::vector<double> &candidateHere,
                  const std::vector<double> &originalThere, const std::vector<double> &candidateThere);

/// Medians of two repeats of one measurement are apart by more than this share: measure again.
inline constexpr double repeatLimit = 0.03;
bool agree(double firstMedian, double secondMedian);

} // namespace warpwright::runner
