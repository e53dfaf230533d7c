#include "feedback/evaluators/cuda/runner/TimingVerdict.h"
#include "feedback/evaluators/values/Initialisation.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace warpwright;
using namespace warpwright::runner;

namespace {

/// Timings as devices give them: a clock that drifts, noise of `spread` and now and then an interruption. A
/// new seed is a new afternoon.
class Timer {
public:
  Timer(uint64_t seed, double spread) : key_(values::streamKey(seed, "timer")), spread_(spread) {}

  double time(double microseconds) {
    ++calls_;
    double noise = values::valueAt(
        {.distribution = values::Distribution::Normal, .first = 0, .second = spread_}, key_, calls_, 1 << 30);
    double drift = 0.02 * std::sin(static_cast<double>(calls_) / 200);
    double interruption = values::bitsAt(key_, calls_) % 50 == 0 ? 1.2 : 1;
    return microseconds * (1 + noise + drift) * interruption;
  }

private:
  uint64_t key_;
  double spread_;
  uint64_t calls_ = 0;
};

Timings measure(uint64_t seed, double original, double candidate, size_t rounds = 100,
                double spread = 0.005) {
  Timer timer(seed, spread);
  Timings timings;
  for (size_t round = 0; round < rounds; ++round) {
    timings.warm.original.push_back(timer.time(original));
    timings.twin.push_back(timer.time(original));
    timings.warm.candidate.push_back(timer.time(candidate));
  }
  return timings;
}

void add(Series &series, uint64_t seed, double original, double candidate, size_t rounds) {
  Timer timer(seed + 1000, 0.005);
  for (size_t round = 0; round < rounds; ++round) {
    series.original.push_back(timer.time(original));
    series.candidate.push_back(timer.time(candidate));
  }
}

Comparison comparisonOf(uint64_t seed, double original, double candidate, size_t rounds = 100) {
  return judgeTimings(measure(seed, original, candidate, rounds), {}).comparison;
}

} // namespace

TEST(RunnerStatisticsTest, MedianOfEvenAndOddCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(RunnerStatisticsTest, MedianIntervalIsThatOfOrderStatistics) {
  std::vector<double> samples;
  for (int i = 1; i <= 100; ++i)
    samples.push_back(i);
  // 50 -+ 9.8: the 41st and 61st of a hundred.
  Interval interval = medianInterval(samples);
  EXPECT_EQ(interval.low, 41);
  EXPECT_EQ(interval.high, 61);
  EXPECT_EQ(medianInterval({5, 1, 3}).high, 5);
}

TEST(RunnerStatisticsTest, TheSameCodeIsNeverFasterOrSlower) {
  unsigned same = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Comparison comparison = comparisonOf(seed, 100, 100);
    EXPECT_NE(comparison, Comparison::Faster) << seed;
    EXPECT_NE(comparison, Comparison::Slower) << seed;
    same += comparison == Comparison::Same;
  }
  EXPECT_GE(same, 36u);
}

TEST(RunnerStatisticsTest, FivePercentAreFoundEachTime) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(comparisonOf(seed, 100, 95), Comparison::Faster) << seed;
    EXPECT_EQ(comparisonOf(seed, 100, 105), Comparison::Slower) << seed;
  }
}

TEST(RunnerStatisticsTest, ElevenRunsFindFivePercentMostly) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NE(comparisonOf(seed, 100, 95, 11), Comparison::Slower) << seed;
    found += comparisonOf(seed, 100, 95, 11) == Comparison::Faster;
  }
  EXPECT_GE(found, 15u);
}

TEST(RunnerStatisticsTest, ADifferenceWithinTheNoiseOfTheTwinIsNone) {
  // The original's twin is 3 % off by where its code lies: so much says nothing about a candidate.
  Timings timings = measure(1, 100, 102);
  for (double &time : timings.twin)
    time *= 1.03;
  TimingVerdict verdict = judgeTimings(timings, {});
  EXPECT_GE(verdict.noise, 0.03);
  EXPECT_EQ(verdict.comparison, Comparison::Same);
}

TEST(RunnerStatisticsTest, NothingIsTheSameInTooMuchNoise) {
  Timings timings = measure(1, 100, 100);
  for (double &time : timings.twin)
    time *= 1.08;
  EXPECT_EQ(judgeTimings(timings, {}).comparison, Comparison::Ambiguous);
}

TEST(RunnerStatisticsTest, WhatDoesNotRepeatIsAmbiguous) {
  Timings timings = measure(1, 100, 50);
  timings.stable = false;
  EXPECT_EQ(judgeTimings(timings, {}).comparison, Comparison::Ambiguous);
}

TEST(RunnerStatisticsTest, OneMarginDecidesBothWays) {
  EXPECT_EQ(compare({0.98, {0.975, 0.985}}, 0), Comparison::Faster);
  EXPECT_EQ(compare({0.98, {0.975, 0.985}}, 0.03), Comparison::Same);
  EXPECT_EQ(compare({0.98, {0.975, 0.992}}, 0), Comparison::Ambiguous);
  EXPECT_EQ(compare({1.02, {1.011, 1.03}}, 0), Comparison::Slower);
}

TEST(RunnerStatisticsTest, AGainThatNeedsTheLastRunsResultsIsSeen) {
  Timings timings = measure(1, 100, 50);
  add(timings.fresh, 1, 103, 104, 20);
  EXPECT_TRUE(judgeTimings(timings, {}).dependsOnState);
}

TEST(RunnerStatisticsTest, AConstantCostOfMeasuringHidesNoGain) {
  // Single runs cost 4 us more than runs in a batch: the ratio shrinks, the time gained does not.
  Timings timings = measure(1, 5, 3);
  add(timings.fresh, 1, 9, 7, 20);
  EXPECT_FALSE(judgeTimings(timings, {}).dependsOnState);
}

TEST(RunnerStatisticsTest, AGainThatNeedsTheCacheCountsOnlyWhereDataExceedIt) {
  Timings timings = measure(1, 100, 70);
  add(timings.cold, 1, 110, 109, 30);
  EXPECT_FALSE(judgeTimings(timings, {}).needsPersistingCache);
  EXPECT_TRUE(judgeTimings(timings, {.exceedsCache = true}).needsPersistingCache);
  EXPECT_NE(judgeTimings(timings, {.asksForPersistingLines = true}).comparison, Comparison::Faster);
}

TEST(RunnerStatisticsTest, WorkAfterTheLastEventIsSeen) {
  Timings timings = measure(1, 100, 60);
  timings.afterEnd.original.assign(100, 6);
  timings.afterEnd.candidate.assign(100, 8);
  EXPECT_FALSE(judgeTimings(timings, {}).worksAfterEnd);
  timings.otherStreams.candidate.assign(100, 9);
  EXPECT_TRUE(judgeTimings(timings, {}).worksAfterEnd);
  timings.otherStreams.candidate.clear();
  timings.afterEnd.candidate.assign(100, 45);
  EXPECT_TRUE(judgeTimings(timings, {}).worksAfterEnd);
}
