#include "feedback/evaluators/virtual/verify/Draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace warpwright;
using namespace warpwright::vdevice;

namespace {

ElementType type(ElementKind kind, uint64_t bytes, const char *name = "float") {
  return {kind, name, bytes, true};
}

DrawRequest request(ElementKind kind, uint64_t bytes, Distribution distribution, InputKind input,
                    uint64_t seed) {
  DrawRequest request;
  request.name = "x";
  request.element = shapeOf(type(kind, bytes));
  request.elements = 1000;
  request.initialiser.distribution = distribution;
  request.initialiser.first = -1;
  request.initialiser.second = 1;
  request.kind = input;
  request.seed = seed;
  return request;
}

std::vector<double> numbersOf(const DrawRequest &request) {
  llvm::Expected<std::vector<uint8_t>> bytes = drawBuffer(request);
  if (!bytes) {
    ADD_FAILURE() << llvm::toString(bytes.takeError());
    return {};
  }
  std::vector<double> numbers;
  const std::vector<ElementPart> &parts = request.element.parts;
  for (uint64_t at = 0; at < bytes->size(); at += request.element.type.bytes)
    for (const ElementPart &part : parts)
      numbers.push_back(decodeNumber(part, bytes->data() + at + part.offset));
  return numbers;
}

DrawRequest integers(int64_t low, int64_t high, InputKind input, uint64_t seed) {
  DrawRequest drawn = request(ElementKind::Integer, 4, Distribution::Integers, input, seed);
  drawn.initialiser.low = ScalarExpression::constant(low);
  drawn.initialiser.high = ScalarExpression::constant(high);
  drawn.isDeclared = true;
  return drawn;
}

TEST(Draw, IsTheSameOnEveryMachine) {
  // Numbers of a published generator: they must never change, or evidence could not be compared.
  RandomStream stream("x", 1);
  EXPECT_EQ(stream.bits(0), RandomStream("x", 1).bits(0));
  EXPECT_NE(stream.bits(0), stream.bits(1));
  EXPECT_NE(stream.bits(0), RandomStream("y", 1).bits(0));
  EXPECT_NE(stream.bits(0), RandomStream("x", 2).bits(0));
  std::vector<double> drawn =
      numbersOf(request(ElementKind::Float, 4, Distribution::Uniform, InputKind::Declared, 0));
  std::vector<double> again =
      numbersOf(request(ElementKind::Float, 4, Distribution::Uniform, InputKind::Declared, 0));
  EXPECT_EQ(drawn, again);
}

TEST(Draw, FollowsTheDeclaredDistribution) {
  std::vector<double> uniform =
      numbersOf(request(ElementKind::Double, 8, Distribution::Uniform, InputKind::Declared, 3));
  double sum = 0;
  for (double value : uniform) {
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 1);
    sum += value;
  }
  EXPECT_LT(std::abs(sum / 1000), 0.1);

  DrawRequest normal = request(ElementKind::Double, 8, Distribution::Normal, InputKind::Declared, 3);
  normal.initialiser.first = 5;
  normal.initialiser.second = 2;
  double mean = 0, squares = 0;
  for (double value : numbersOf(normal)) {
    mean += value / 1000;
    squares += (value - 5) * (value - 5) / 1000;
  }
  EXPECT_NEAR(mean, 5, 0.3);
  EXPECT_NEAR(squares, 4, 0.6);
}

TEST(Draw, KeepsIndicesInTheirRange) {
  for (InputKind kind : {InputKind::Declared, InputKind::Wide, InputKind::Adversarial})
    for (uint64_t seed = 0; seed < 5; ++seed) {
      std::set<double> seen;
      for (double value : numbersOf(integers(-3, 12, kind, seed))) {
        EXPECT_GE(value, -3);
        EXPECT_LE(value, 12);
        seen.insert(value);
      }
      if (kind == InputKind::Declared)
        EXPECT_EQ(seen.size(), 16u) << "both ends are drawn";
    }
}

TEST(Draw, KeepsPermutationsPermutations) {
  for (InputKind kind : {InputKind::Declared, InputKind::Wide, InputKind::Adversarial})
    for (uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<double> drawn =
          numbersOf(request(ElementKind::Integer, 4, Distribution::Permutation, kind, seed));
      EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), 1000u);
      EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 999);
    }
}

TEST(Draw, WideNumbersCancelAndCoverMagnitudes) {
  DrawRequest wide = request(ElementKind::Float, 4, Distribution::Uniform, InputKind::Wide, 0);
  wide.isDeclared = true;
  std::vector<double> numbers = numbersOf(wide);
  double smallest = 1;
  bool hasNegative = false;
  for (double number : numbers) {
    EXPECT_LE(std::abs(number), 1) << "the declared range holds";
    smallest = std::min(smallest, std::abs(number));
    hasNegative |= number < 0;
  }
  EXPECT_LT(smallest, 1e-3);
  EXPECT_TRUE(hasNegative);
  EXPECT_EQ(numbers[3], -numbers[2]);
}

TEST(Draw, AdversarialSeedsHaveAllPatterns) {
  std::set<std::pair<double, double>> ends;
  bool constantLow = false, zeros = false, ramp = false;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<double> numbers =
        numbersOf(request(ElementKind::Float, 4, Distribution::Uniform, InputKind::Adversarial, seed));
    auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    constantLow |= *low == -1 && *high == -1;
    zeros |= *low == 0 && *high == 0 &&
             std::any_of(numbers.begin(), numbers.end(), [](double value) { return std::signbit(value); });
    ramp |= std::is_sorted(numbers.begin(), numbers.end()) && *low < *high;
  }
  EXPECT_TRUE(constantLow);
  EXPECT_TRUE(zeros);
  EXPECT_TRUE(ramp);
}

TEST(Draw, SpecialInputsHoldNaN) {
  DrawRequest special = request(ElementKind::Half, 2, Distribution::Uniform, InputKind::Special, 1);
  unsigned nans = 0, infinities = 0;
  for (double number : numbersOf(special)) {
    nans += std::isnan(number);
    infinities += std::isinf(number);
  }
  EXPECT_GE(nans, 1u);
  EXPECT_GE(infinities, 1u);
  special.infinities = false;
  for (double number : numbersOf(special))
    EXPECT_FALSE(std::isinf(number));
}

TEST(Draw, FillsEveryNumberOfAStruct) {
  DrawRequest drawn = request(ElementKind::Other, 12, Distribution::Uniform, InputKind::Declared, 0);
  drawn.element.parts = {{ElementKind::Float, 0, 4, true, false},
                         {ElementKind::Integer, 4, 1, false, true},
                         {ElementKind::Half, 6, 2, true, false},
                         {ElementKind::Integer, 8, 4, true, false}};
  std::vector<double> numbers = numbersOf(drawn);
  ASSERT_EQ(numbers.size(), 4000u);
  for (size_t i = 0; i < numbers.size(); i += 4) {
    EXPECT_LE(std::abs(numbers[i]), 1);
    EXPECT_TRUE(numbers[i + 1] == 0 || numbers[i + 1] == 1) << "a bool holds nothing else";
    EXPECT_LE(std::abs(numbers[i + 2]), 1);
  }
}

TEST(Draw, SaysWhatItDoesNotUnderstand) {
  DrawRequest drawn = request(ElementKind::Other, 12, Distribution::Uniform, InputKind::Declared, 0);
  llvm::Expected<std::vector<uint8_t>> bytes = drawBuffer(drawn);
  ASSERT_FALSE(static_cast<bool>(bytes));
  EXPECT_EQ(llvm::toString(bytes.takeError()),
            "'x' holds elements of type 'float', which are not understood");
}

TEST(Draw, PoisonIsNaNInEveryFormat) {
  std::vector<uint8_t> bytes(8);
  poison(bytes);
  for (const ElementType &each : {type(ElementKind::Half, 2), type(ElementKind::BFloat16, 2),
                                  type(ElementKind::Float, 4), type(ElementKind::Double, 8)})
    for (uint64_t at = 0; at < 8; at += each.bytes)
      EXPECT_TRUE(std::isnan(decodeNumber(shapeOf(each).parts.front(), bytes.data() + at))) << each.bytes;
}

} // namespace
