#include "feedback/DispatchGuard.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

std::string guard(std::vector<ScalarValues> winning, std::vector<ScalarValues> losing) {
  std::optional<ScalarExpression> found = separatingGuard(winning, losing);
  return found ? found->str() : "none";
}

TEST(SeparatingGuard, TakesTheSmallestWinningValue) {
  EXPECT_EQ(guard({{{"n", 4096}}, {{"n", 1024}}}, {{{"n", 100}}, {{"n", 7}}}), "n >= 1024");
  EXPECT_EQ(guard({{{"n", 8}}, {{"n", 64}}}, {{{"n", 100}}}), "n <= 64");
}

TEST(SeparatingGuard, PrefersTheScalarWhoseSidesLieApart) {
  EXPECT_EQ(guard({{{"k", 4096}, {"m", 4096}, {"n", 4096}}}, {{{"k", 200}, {"m", 129}, {"n", 65}}}),
            "n >= 4096");
  // m alone is small in both, and k overlaps.
  EXPECT_EQ(guard({{{"k", 64}, {"n", 512}}, {{"k", 8}, {"n", 600}}}, {{{"k", 32}, {"n", 500}}}), "n >= 512");
}

TEST(SeparatingGuard, AsksForDivisorsBeforeProducts) {
  EXPECT_EQ(guard({{{"n", 1000}}, {{"n", 24}}}, {{{"n", 100}}, {{"n", 1001}}}), "n % 8 == 0");
  // What tiles are made of is enough.
  EXPECT_EQ(guard({{{"n", 4096}}, {{"n", 256}}}, {{{"n", 1000}}, {{"n", 64}}, {{"n", 5000}}}),
            "n % 128 == 0");
  // The power of two divides a losing shape, all that they share does not.
  EXPECT_EQ(guard({{{"n", 12}}, {{"n", 36}}}, {{{"n", 8}}, {{"n", 40}}, {{"n", 16}}}), "n % 12 == 0");
}

TEST(SeparatingGuard, MultipliesWhatNoneSaysAlone) {
  EXPECT_EQ(
      guard({{{"cols", 7}, {"rows", 65537}}, {{"cols", 65536}, {"rows", 9}}},
            {{{"cols", 301}, {"rows", 303}}, {{"cols", 70001}, {"rows", 1}}, {{"cols", 1}, {"rows", 70000}}}),
      "cols * rows >= 458759");
}

TEST(SeparatingGuard, SaysWhereNothingSeparates) {
  EXPECT_EQ(guard({{{"n", 7}}, {{"n", 31}}}, {{{"n", 11}}}), "none");
  // That a number is round says nothing of its kind.
  EXPECT_EQ(guard({{{"n", 100000}}}, {{{"n", 16777216}}, {{"n", 13}}}), "none");
  EXPECT_EQ(guard({{{"n", 7}}}, {{{"n", 7}}}), "none");
  EXPECT_EQ(guard({}, {{{"n", 7}}}), "none");
  EXPECT_EQ(guard({{{"n", 7}}}, {}), "none");
}

TEST(SeparatingGuard, UsesNoNameThatAShapeLacks) {
  EXPECT_EQ(guard({{{"n", 64}, {"m", 5}}}, {{{"m", 2}}}), "m >= 5");
}

TEST(SeparatingGuard, LeavesProductsThatDoNotFit) {
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(guard({{{"a", large}, {"b", 3}}, {{"a", 3}, {"b", large}}},
                  {{{"a", large}, {"b", large}}, {{"a", 1}, {"b", 1}}}),
            "none");
}

} // namespace
