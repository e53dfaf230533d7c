#include "feedback/evaluators/virtual/verify/Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace warpwright;
using namespace warpwright::vdevice;
using warpwright::values::ErrorDistribution;

namespace {

const ElementType Float = {ElementKind::Float, "float", 4, true};
const Tolerance Exact;
const Tolerance Loose = {false, 1e-3, 0, 1e-4};
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
constexpr float Infinity = std::numeric_limits<float>::infinity();

std::vector<uint8_t> bytesOf(const std::vector<float> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

BufferComparison compare(const std::vector<float> &expected, const std::vector<float> &got,
                         const Tolerance &tolerance, std::vector<double> reference = {}) {
  std::vector<uint8_t> before(expected.size() * sizeof(float));
  poison(before);
  std::vector<uint8_t> expectedBytes = bytesOf(expected), gotBytes = bytesOf(got);
  return compareBuffers({shapeOf(Float), before, expectedBytes, gotBytes, reference, tolerance});
}

TEST(CompareBuffers, ExactMeansEveryBit) {
  EXPECT_EQ(compare({1, 2, 3}, {1, 2, 3}, Exact).difference, Difference::None);
  BufferComparison different = compare({1, 2, 3}, {1, std::nextafter(2.0f, 3.0f), 4}, Exact);
  EXPECT_EQ(different.difference, Difference::Bits);
  EXPECT_EQ(different.firstBad, 1u);
  EXPECT_EQ(different.firstBadByte, 4u);
  EXPECT_EQ(different.bad, 2u);
  EXPECT_EQ(different.expected, "2");
  EXPECT_EQ(different.got, "2.00000024");
  EXPECT_EQ(compare({0}, {-0.0f}, Exact).difference, Difference::ZeroSign);
  EXPECT_EQ(compare({0}, {-0.0f}, Loose).difference, Difference::None);
}

TEST(CompareBuffers, IntegersAreComparedWhole) {
  ElementType type = {ElementKind::Integer, "long long", 8, true};
  std::vector<uint8_t> before(8, 1), expected(8, 0x40), got(8, 0x40);
  got[0] = 0x41; // lost in a double
  BufferComparison different = compareBuffers({shapeOf(type), before, expected, got, {}, Exact});
  EXPECT_EQ(different.difference, Difference::Bits);
  EXPECT_EQ(different.expected, "4629771061636907072");
  EXPECT_EQ(different.got, "4629771061636907073");
}

TEST(CompareBuffers, AnyNaNEqualsAnyOther) {
  EXPECT_EQ(compare({NaN, 1}, {-NaN, 1}, Exact).difference, Difference::None);
  EXPECT_EQ(compare({NaN, 1}, {7, 1}, Loose).difference, Difference::NotANumber);
  EXPECT_EQ(compare({7, 1}, {NaN, 1}, Loose).difference, Difference::NotANumber);
  EXPECT_EQ(compare({Infinity}, {Infinity}, Loose).difference, Difference::None);
  EXPECT_EQ(compare({Infinity}, {-Infinity}, Loose).difference, Difference::NotANumber);
}

TEST(CompareBuffers, SaysWhatWasLeftUnwritten) {
  std::vector<uint8_t> before = bytesOf({9, 9, 9}), expected = bytesOf({1, 2, 9}), got = bytesOf({1, 9, 9});
  BufferComparison different = compareBuffers({shapeOf(Float), before, expected, got, {}, Loose});
  EXPECT_EQ(different.difference, Difference::Unwritten);
  EXPECT_EQ(different.firstBad, 1u);
}

TEST(CompareBuffers, SaysWhatWasWrittenBeyondTheOriginal) {
  std::vector<uint8_t> before = bytesOf({9, 9, 9}), expected = bytesOf({1, 2, 9}), got = bytesOf({1, 2, 3});
  EXPECT_EQ(compareBuffers({shapeOf(Float), before, expected, got, {}, Exact}).difference,
            Difference::WroteMore);
}

TEST(CompareBuffers, RelativeErrorIsTakenAgainstTheWholeBuffer) {
  // A sum of centred numbers near zero: its own magnitude says nothing.
  EXPECT_EQ(compare({1, -1, 1e-6f}, {1, -1, 2e-6f}, Loose).difference, Difference::None);
  EXPECT_EQ(compare({1, -1, 0.1f}, {1, -1, 0.102f}, Loose).difference, Difference::Error);
}

TEST(CompareBuffers, HoldsAgainstAReferenceOfHigherPrecision) {
  // The candidate is nearer to the truth than the original.
  EXPECT_EQ(compare({1.0f}, {1.01f}, Loose, {1.01}).difference, Difference::None);
  EXPECT_EQ(compare({1.01f}, {1.0f}, Loose, {1.01}).difference, Difference::Error);
  // It is as far from the truth as the original, on the other side; farther is wrong.
  EXPECT_EQ(compare({1.0f}, {1.02f}, Loose, {1.0101}).difference, Difference::None);
  EXPECT_EQ(compare({1.0f}, {1.03f}, Loose, {1.01}).difference, Difference::Error);
  // It is within the tolerance of the original: nobody need be better.
  EXPECT_EQ(compare({1.0f}, {0.9995f}, Loose, {1.01}).difference, Difference::None);
  // A reference that went astray is none.
  EXPECT_EQ(compare({1.0f}, {1.01f}, Loose, {NaN}).difference, Difference::Error);
  // What equals the original bit by bit is right, however inaccurate the original is.
  EXPECT_EQ(compare({1.0f}, {1.0f}, Loose, {1.01}).difference, Difference::None);
}

TEST(CompareBuffers, TellsTheOriginalsOwnErrors) {
  BufferComparison comparison = compare({1.0f, 2.0f}, {1.01f, 2.0f}, Loose, {1.01, 2.0});
  EXPECT_LT(comparison.errors.largest(), 1e-6);
  EXPECT_NEAR(comparison.originalErrors.largest(), 0.01 / std::sqrt(2.5), 1e-4);
}

ErrorDistribution scaled(double factor, bool centred) {
  ErrorDistribution errors;
  for (int i = 0; i < 400; ++i) {
    double reference = centred && i % 2 ? -1.0 - i / 400.0 : 1.0 + i / 400.0;
    double noise = (i % 7 - 3) * 1e-6;
    errors.add(reference, reference * factor + noise, std::abs(reference));
  }
  return errors;
}

TEST(CompareBuffers, FindsABiasInCentredResults) {
  EXPECT_TRUE(scaled(1.0005, false).isBiased(1e-4));
  EXPECT_TRUE(scaled(1.0005, true).isBiased(1e-4));
  EXPECT_NEAR(scaled(1.0005, true).bias(), 5e-4, 1e-5);
  EXPECT_FALSE(scaled(1, true).isBiased(1e-4));
}

TEST(CompareBuffers, TakesNoChanceForABias) {
  ErrorDistribution few;
  for (int i = 0; i < 7; ++i)
    few.add(1, 1.0005, 1);
  EXPECT_FALSE(few.isBiased(1e-4)) << "too few numbers";
  ErrorDistribution noisy;
  for (int i = 0; i < 16; ++i)
    noisy.add(1, i % 2 ? 1.004 : 0.9965, 1);
  EXPECT_GT(noisy.bias(), 1e-4);
  EXPECT_FALSE(noisy.isBiased(1e-4)) << "within three standard errors";
}

TEST(CompareBuffers, DescribesTheDistribution) {
  ErrorDistribution errors;
  for (int i = 0; i < 100; ++i)
    errors.add(1, i == 0 ? 2 : 1, 1);
  EXPECT_EQ(errors.count(), 100u);
  EXPECT_EQ(errors.largest(), 1);
  EXPECT_EQ(errors.percentile99(), 0);
  EXPECT_NEAR(errors.mean(), 0.01, 1e-12);
  EXPECT_NEAR(errors.deviation(), std::sqrt(0.01 - 0.0001), 1e-12);
}

} // namespace
