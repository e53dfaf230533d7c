#include "feedback/evaluators/values/Comparison.h"
#include "feedback/evaluators/values/Initialisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

using namespace warpwright::values;
using testing::HasSubstr;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();

std::vector<float> floats(const Initialisation &initialisation, uint64_t key, uint64_t count) {
  std::vector<float> values(count);
  fillElements(initialisation, ElementType::Float32, key, 0, count, count, values.data());
  return values;
}

ErrorSummary compare(const std::vector<float> &reference, const std::vector<float> &candidate,
                     const Tolerance &tolerance) {
  ErrorAccumulator errors(tolerance);
  errors.add(ElementType::Float32, reference.data(), candidate.data(), 0, reference.size(),
             rootMeanSquare(ElementType::Float32, reference.data(), reference.size()));
  return errors.summary();
}

Tolerance within(double relative, double bias = 0) {
  return {false, relative, 0, bias};
}

} // namespace

TEST(ElementTypeTest, NamesRoundTrip) {
  EXPECT_EQ(parseElementType("bfloat16"), ElementType::BFloat16);
  EXPECT_EQ(toString(ElementType::UInt64), "uint64");
  EXPECT_EQ(parseElementType("float"), std::nullopt);
}

TEST(ElementTypeTest, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double half = doubleFromHalf(static_cast<uint16_t>(bits));
    double bfloat = doubleFromBFloat16(static_cast<uint16_t>(bits));
    ASSERT_TRUE(std::isnan(half) || halfFromDouble(half) == bits);
    ASSERT_TRUE(std::isnan(bfloat) || bfloat16FromDouble(bfloat) == bits);
  }
}

TEST(ElementTypeTest, NarrowFormatsRoundOnceToNearestEven) {
  EXPECT_EQ(halfFromDouble(65504), 0x7bff);
  EXPECT_EQ(halfFromDouble(65519.99), 0x7bff);
  EXPECT_EQ(halfFromDouble(65520), 0x7c00); // halfway to the next: infinity
  EXPECT_EQ(halfFromDouble(0x1p-25), 0);    // half of the smallest: to even
  EXPECT_EQ(halfFromDouble(0x1.000001p-25), 1);
  // Through float this would be a tie, and become 1.
  EXPECT_EQ(halfFromDouble(1 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(bfloat16FromDouble(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bfloat16FromDouble(-infinity), 0xff80);
  EXPECT_TRUE(std::isnan(doubleFromHalf(halfFromDouble(notANumber))));
}

TEST(ElementTypeTest, IntegersSaturate) {
  int8_t small = 0;
  uint64_t large = 0;
  storeElement(ElementType::Int8, &small, 0, 300);
  EXPECT_EQ(small, 127);
  storeElement(ElementType::Int8, &small, 0, notANumber);
  EXPECT_EQ(small, 0);
  storeElement(ElementType::UInt64, &large, 0, 1e30);
  EXPECT_EQ(large, ~uint64_t(0));
}

TEST(InitialisationTest, ValuesAreFixedForAllTime) {
  // Changing these changes what every recorded measurement ran on.
  EXPECT_EQ(streamKey(1, "a"), streamKey(1, "a"));
  EXPECT_NE(streamKey(1, "a"), streamKey(2, "a"));
  EXPECT_NE(streamKey(1, "a"), streamKey(1, "b"));
  EXPECT_EQ(bitsAt(0, 0), 0xe220a8397b1dcdafu); // SplitMix64 seeded with 0
  EXPECT_EQ(bitsAt(0, 1), 0x6e789e6aa1b965f4u);
}

TEST(InitialisationTest, PartsAreDrawnAsTheWhole) {
  for (Distribution distribution : {Distribution::Uniform, Distribution::Normal, Distribution::Permutation}) {
    Initialisation initialisation{.distribution = distribution};
    std::vector<float> whole = floats(initialisation, 7, 1000), parts(1000);
    fillElements(initialisation, ElementType::Float32, 7, 300, 1000, 1000, parts.data());
    fillElements(initialisation, ElementType::Float32, 7, 0, 300, 1000, parts.data());
    EXPECT_EQ(whole, parts);
  }
}

TEST(InitialisationTest, NormalHasItsMoments) {
  std::vector<float> values =
      floats({.distribution = Distribution::Normal, .first = 2, .second = 3}, 5, 1 << 18);
  double mean = 0, square = 0;
  for (float value : values)
    mean += value / values.size();
  for (float value : values)
    square += (value - mean) * (value - mean) / values.size();
  EXPECT_NEAR(mean, 2, 0.03);
  EXPECT_NEAR(std::sqrt(square), 3, 0.03);
}

TEST(InitialisationTest, IntegersReachBothEnds) {
  std::vector<float> values = floats({.distribution = Distribution::Integers, .low = -2, .high = 2}, 3, 1000);
  std::set<float> distinct(values.begin(), values.end());
  EXPECT_EQ(distinct, (std::set<float>{-2, -1, 0, 1, 2}));
}

TEST(InitialisationTest, PermutationHitsEveryIndexOnce) {
  for (uint64_t count : {1, 2, 3, 16, 17, 1000}) {
    std::vector<float> values = floats({.distribution = Distribution::Permutation}, 9, count);
    std::set<float> distinct(values.begin(), values.end());
    EXPECT_EQ(distinct.size(), count);
    EXPECT_EQ(*distinct.rbegin(), static_cast<float>(count - 1));
  }
}

TEST(ComparisonTest, ExactMeansBitsSaveForNaN) {
  float nan = static_cast<float>(notANumber);
  EXPECT_EQ(judge(compare({1, nan}, {1, -nan}, {}), {}), std::nullopt);
  EXPECT_THAT(*judge(compare({1, 0.0f}, {1, -0.0f}, {}), {}), HasSubstr("not bit-exact, first at element 1"));
}

TEST(ComparisonTest, ErrorIsTakenAgainstTheBuffersMagnitude) {
  // 0.001 instead of 0.002 in a buffer of ones: a relative error of half by itself, of a thousandth here.
  std::vector<float> reference(1000, 1), candidate(1000, 1);
  reference[5] = 0.002f;
  candidate[5] = 0.001f;
  ErrorSummary errors = compare(reference, candidate, within(2e-3));
  EXPECT_EQ(errors.bad, 0u);
  EXPECT_NEAR(errors.errors.largest(), 1e-3, 1e-5);
  EXPECT_EQ(compare(reference, candidate, within(5e-4)).firstBad, 5u);
}

TEST(ComparisonTest, NotANumberIsNeverWithinATolerance) {
  ErrorSummary errors = compare({1, 2}, {1, static_cast<float>(notANumber)}, within(1e9));
  EXPECT_EQ(errors.notANumber, 1u);
  EXPECT_THAT(*judge(errors, within(1e9)), HasSubstr("NaN"));
  EXPECT_THAT(*judge(compare({1, 2}, {1, static_cast<float>(infinity)}, within(1e9)), within(1e9)),
              HasSubstr("infinite"));
}

TEST(ComparisonTest, ZerosAreNoExcuse) {
  // A reference of zeros has no scale: only an absolute tolerance admits a difference.
  EXPECT_EQ(compare({0, 0}, {1e-20f, 0}, within(1e-3)).bad, 1u);
  Tolerance absolute = within(1e-3);
  absolute.absolute = 1e-10;
  EXPECT_EQ(compare({0, 0}, {1e-20f, 0}, absolute).bad, 0u);
}

TEST(ComparisonTest, BiasIsFoundBelowTheTolerance) {
  std::vector<float> reference(4096, 1), shifted(4096), centred(4096);
  for (size_t i = 0; i < reference.size(); ++i) {
    shifted[i] = 1 + 5e-4f;
    centred[i] = i % 2 ? 1 + 5e-4f : 1 - 5e-4f;
  }
  Tolerance tolerance = within(1e-3, 1e-4);
  EXPECT_THAT(*judge(compare(reference, shifted, tolerance), tolerance), HasSubstr("bias"));
  EXPECT_EQ(judge(compare(reference, centred, tolerance), tolerance), std::nullopt);
}

TEST(ComparisonTest, PercentileIgnoresTheRarestHundredth) {
  std::vector<float> reference(1000, 1), candidate(1000, 1.001f);
  candidate[3] = 2;
  ErrorSummary errors = compare(reference, candidate, within(10));
  EXPECT_NEAR(errors.errors.largest(), 1, 1e-6);
  EXPECT_NEAR(errors.errors.percentile99(), 1e-3, 1e-3 / 16);
}

TEST(ComparisonTest, PartsMergeIntoTheWhole) {
  std::vector<float> reference = floats({}, 1, 3000), candidate = reference;
  candidate[10] += 0.5f;
  candidate[2500] += 0.25f;
  ErrorSummary whole = compare(reference, candidate, within(1e-3));
  double scale = rootMeanSquare(ElementType::Float32, reference.data(), reference.size());
  ErrorAccumulator first(within(1e-3)), second(within(1e-3));
  first.add(ElementType::Float32, reference.data(), candidate.data(), 0, 1500, scale);
  second.add(ElementType::Float32, reference.data() + 1500, candidate.data() + 1500, 1500, 1500, scale);
  first.merge(second);
  EXPECT_EQ(first.summary().firstBad, whole.firstBad);
  EXPECT_EQ(first.summary().bad, 2u);
  EXPECT_DOUBLE_EQ(first.summary().errors.mean(), whole.errors.mean());
}

TEST(ComparisonTest, NothingComparedIsNotEqual) {
  EXPECT_NE(judge(ErrorAccumulator({}).summary(), {}), std::nullopt);
}
