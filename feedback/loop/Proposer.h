#pragma once

#include "feedback/loop/Memory.h"
#include "feedback/loop/StrategyWeights.h"

#include <memory>
#include <random>

namespace warpwright::loop {

/// What a proposer may know. Borrowed, for one round.
struct LoopView {
  const Subject &subject;
  const Memory &memory;
  const StrategyWeights *weights; ///< null: switched off
  Diagnosed bottlenecks;          ///< of the best version; empty: not known
  std::optional<size_t> best;     ///< nothing: the original
  double bestRatio = 1;
  std::string structure;  ///< the one that is held while parameters move; empty: none yet
  double exploration = 1; ///< grows with rounds without gain
  std::mt19937_64 &random;
  std::vector<bool> open;          ///< of each candidate: may be proposed
  std::map<size_t, double> ratios; ///< of each that was measured
  unsigned round = 0;
};

/// One proposal; it is judged like every other, wherever it came from.
struct Proposal {
  size_t candidate = 0;
  std::string proposer;                ///< role
  std::vector<std::string> strategies; ///< arms of the bandit that the outcome counts for
  std::string reason;                  ///< never empty
  double expected = 0;                 ///< logarithm of the gain over the best; larger is better
  bool structural = false;
};

/// Whoever proposes: an expert, the tuner, an agent, a person. Agents' candidates join the subject first.
class Proposer {
public:
  virtual ~Proposer();
  /// Of structures, or of parameters inside the one that is held: the two are kept apart.
  virtual bool isStructural() const = 0;
  /// At most so many, the best first; all of them open.
  virtual std::vector<Proposal> propose(const LoopView &view, size_t most) = 0;
};

/// Rewriters: structures by what they promise under the bottleneck. Roles follow the bottleneck's group:
/// memory, compute, resource.
std::unique_ptr<Proposer> structureExperts();
/// Parameters inside the structure that is held: a surrogate over points, led by weights and feedback.
std::unique_ptr<Proposer> parameterTuner();

/// What gained alone, one of each structure, as one candidate: the set that arbitrate() chooses by measured
/// gains. Nothing where no two go together. What was given up for what is in the reason.
std::optional<Proposal> combination(Subject &subject, const std::map<size_t, double> &ratios);

/// How far a change of facts answers a bottleneck, -1..1; 0 where nothing is known.
double relief(Bottleneck bottleneck, const StaticFacts &before, const StaticFacts &after);

} // namespace warpwright::loop
