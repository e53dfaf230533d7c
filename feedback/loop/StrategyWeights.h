#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <random>
#include <string>
#include <tuple>

namespace warpwright::loop {

struct StoredOutcome;

/// One attempt, for the bandit.
struct Attempt {
  std::string strategy;
  std::string bottleneck; ///< label; empty: not known
  std::string architecture;
  double gain = 0; ///< 0: none; else the logarithm of the time before over the time after
};

/// What pays under which bottleneck on which architecture: a bandit with Thompson sampling (W. R. Thompson,
/// "On the likelihood that one unknown probability exceeds another in view of the evidence of two samples",
/// Biometrika 25, 1933), each arm a Beta distribution. Every attempt ages all arms of its architecture, so
/// that what was learnt long ago counts less. An arm that was hardly pulled leans on what its strategy does
/// under any bottleneck.
class StrategyWeights {
public:
  struct Arm {
    double gains = 0;  ///< attempts with a gain, aged
    double misses = 0; ///< the others
  };
  using Key = std::tuple<std::string, std::string, std::string>; ///< strategy, bottleneck, architecture

  void learn(const Attempt &attempt);
  /// One attempt of each of its strategies.
  void learn(const StoredOutcome &outcome);
  /// A draw from the arm's distribution, 0..1. `exploration` >= 1 flattens it: rounds without gain raise it.
  double draw(const std::string &strategy, const std::string &bottleneck, const std::string &architecture,
              double exploration, std::mt19937_64 &random) const;
  /// Its mean: what the table shows.
  double mean(const std::string &strategy, const std::string &bottleneck,
              const std::string &architecture) const;
  /// A line an arm: strategy, bottleneck, architecture, mean, attempts.
  void print(llvm::raw_ostream &stream) const;

private:
  Arm arm(const std::string &strategy, const std::string &bottleneck, const std::string &architecture) const;

  std::map<Key, Arm> arms_;
};

} // namespace warpwright::loop
