#include "feedback/loop/StrategyWeights.h"

#include "feedback/loop/Store.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace warpwright::loop {
namespace {

constexpr double aging = 0.995;      // of an attempt, by each later one: half is left after 138
constexpr double leaning = 2;        // attempts that what is known of a strategy elsewhere counts for
constexpr double worthwhile = 0.005; // of a gain: less is noise

/// A draw of Beta(a, b), from two gamma distributions.
double beta(double a, double b, std::mt19937_64 &random) {
  double x = std::gamma_distribution<double>(a, 1)(random), y = std::gamma_distribution<double>(b, 1)(random);
  return x + y > 0 ? x / (x + y) : 0.5;
}

} // namespace

void StrategyWeights::learn(const Attempt &attempt) {
  for (auto &[key, arm] : arms_)
    if (std::get<2>(key) == attempt.architecture) {
      arm.gains *= aging;
      arm.misses *= aging;
    }
  Arm &arm = arms_[{attempt.strategy, attempt.bottleneck, attempt.architecture}];
  (attempt.gain > worthwhile ? arm.gains : arm.misses) += 1;
}

void StrategyWeights::learn(const StoredOutcome &outcome) {
  llvm::SmallVector<llvm::StringRef> strategies;
  llvm::StringRef(outcome.strategy).split(strategies, ", ", -1, /*KeepEmpty=*/false);
  for (llvm::StringRef strategy : strategies)
    learn({strategy.str(), outcome.bottleneck, outcome.architecture, outcome.gain});
}

/// Beta's parameters: one gain and one miss that nobody saw, the strategy's share elsewhere, and the arm
/// itself.
StrategyWeights::Arm StrategyWeights::arm(const std::string &strategy, const std::string &bottleneck,
                                          const std::string &architecture) const {
  Arm elsewhere = {1, 1}, own;
  for (const auto &[key, arm] : arms_) {
    if (std::get<0>(key) != strategy)
      continue;
    elsewhere.gains += arm.gains;
    elsewhere.misses += arm.misses;
    if (std::get<1>(key) == bottleneck && std::get<2>(key) == architecture)
      own = arm;
  }
  double share = elsewhere.gains / (elsewhere.gains + elsewhere.misses);
  return {own.gains + leaning * share, own.misses + leaning * (1 - share)};
}

double StrategyWeights::draw(const std::string &strategy, const std::string &bottleneck,
                             const std::string &architecture, double exploration,
                             std::mt19937_64 &random) const {
  Arm known = arm(strategy, bottleneck, architecture);
  return beta(std::max(0.05, known.gains / exploration), std::max(0.05, known.misses / exploration), random);
}

double StrategyWeights::mean(const std::string &strategy, const std::string &bottleneck,
                             const std::string &architecture) const {
  Arm known = arm(strategy, bottleneck, architecture);
  return known.gains / (known.gains + known.misses);
}

void StrategyWeights::print(llvm::raw_ostream &stream) const {
  for (const auto &[key, arm] : arms_)
    stream << llvm::formatv("{0,-28} {1,-20} {2,-8} {3:F2} of {4:F1} attempts\n", std::get<0>(key),
                            std::get<1>(key).empty() ? "unknown" : std::get<1>(key), std::get<2>(key),
                            mean(std::get<0>(key), std::get<1>(key), std::get<2>(key)),
                            arm.gains + arm.misses);
}

} // namespace warpwright::loop
