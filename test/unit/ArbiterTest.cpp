#include "feedback/loop/Arbiter.h"

#include <gtest/gtest.h>

#include <random>

using namespace warpwright::loop;

namespace {

constexpr unsigned planted = 10;

Part part(const std::string &name, unsigned begin, unsigned end, double gain, double registers = 0,
          double shared = 0, double threads = 1) {
  return {name, {{"k.cu", begin, end}}, registers, shared, threads, gain};
}

const StaticFacts original = {0, 0, 0, 256, 0, 4096, 40};

/// Whether two parts are told apart, and in which words.
std::string conflictOf(const Part &a, const Part &b) {
  Arbitration result = arbitrate({a, b}, original, {});
  return result.conflicts.empty() ? "" : result.conflicts.front().why;
}

TEST(Arbiter, FindsPlantedConflicts) {
  const std::pair<std::pair<Part, Part>, const char *> cases[planted] = {
      {{part("a", 10, 20, 1), part("b", 15, 25, 1)}, "both edit k.cu at byte 15"},
      {{part("a", 10, 20, 1), part("b", 10, 20, 1)}, "both edit k.cu at byte 10"},
      {{part("a", 10, 10, 1), part("b", 10, 10, 1)}, "both edit k.cu at byte 10"},
      {{part("a", 10, 30, 1), part("b", 12, 14, 1)}, "both edit k.cu at byte 12"},
      {{part("a", 1, 2, 1, 120), part("b", 3, 4, 1, 120)}, "together 280 registers a thread, 255 are there"},
      {{part("a", 1, 2, 1, 0, 30000), part("b", 3, 4, 1, 0, 30000)},
       "together 64096 bytes of shared memory, 49152 are there"},
      {{part("a", 1, 2, 1, 0, 0, 4), part("b", 3, 4, 1, 0, 0, 2)},
       "together 2048 threads a block, 1024 are allowed"},
      {{part("a", 1, 2, 1, 250), part("b", 3, 4, 1)}, "290 registers a thread, 255 are there"},
      {{part("a", 1, 2, 1), part("b", 3, 4, 1, 0, 60000)}, "64096 bytes of shared memory, 49152 are there"},
      {{part("a", 1, 2, 1), part("b", 3, 4, 1, 0, 0, 8)}, "2048 threads a block, 1024 are allowed"},
  };
  for (const auto &[pair, why] : cases)
    EXPECT_EQ(conflictOf(pair.first, pair.second), why);
  EXPECT_EQ(conflictOf(part("a", 10, 20, 1), part("b", 20, 25, 1)), ""); // neighbours go together
}

TEST(Arbiter, SaysWhatWasTraded) {
  Arbitration result = arbitrate(
      {part("pad", 10, 20, 0.2), part("swizzle", 15, 25, 0.3), part("unroll", 40, 50, 0.1)}, original, {});
  EXPECT_EQ(result.chosen, (std::vector<size_t>{1, 2}));
  EXPECT_DOUBLE_EQ(result.gain, 0.4);
  ASSERT_EQ(result.trades.size(), 1u);
  EXPECT_EQ(result.trades[0], "pad is left out for swizzle: both edit k.cu at byte 15");
}

TEST(Arbiter, TakesTwoSmallForOneLarge) {
  Arbitration result = arbitrate(
      {part("wide", 10, 30, 0.3), part("left", 10, 18, 0.2), part("right", 20, 30, 0.2)}, original, {});
  EXPECT_EQ(result.chosen, (std::vector<size_t>{1, 2}));
}

/// Against every subset of random parts.
TEST(Arbiter, ChoosesTheBestCompatibleSet) {
  std::mt19937 random(3);
  auto number = [&](unsigned below) { return random() % below; };
  for (int round = 0; round < 30; ++round) {
    std::vector<Part> parts;
    for (int i = 0; i < 12; ++i) {
      unsigned begin = number(100);
      parts.push_back(part(std::string(1, char('a' + i)), begin, begin + 1 + number(15),
                           0.01 * (1 + number(50)), number(100), number(30000), 1 + number(2)));
    }
    double best = 0;
    for (unsigned set = 0; set < 1u << parts.size(); ++set) {
      double gain = 0, registers = 40, shared = 4096, threads = 256;
      bool fits = true;
      for (size_t i = 0; i < parts.size(); ++i) {
        if (!(set >> i & 1))
          continue;
        gain += parts[i].gain;
        registers += parts[i].registers;
        shared += parts[i].sharedBytes;
        threads *= parts[i].threads;
        for (size_t j = 0; j < i; ++j) {
          const Span &a = parts[i].spans[0], &b = parts[j].spans[0];
          fits &= !(set >> j & 1) || a.begin >= b.end || b.begin >= a.end;
        }
      }
      if (fits && registers <= 255 && shared <= 48 << 10 && threads <= 1024)
        best = std::max(best, gain);
    }
    EXPECT_NEAR(arbitrate(parts, original, {}).gain, best, 1e-9);
  }
}

} // namespace
