#pragma once

#include "feedback/loop/Proposer.h"

#include <functional>

namespace warpwright::loop {

/// Nothing of it is a promise but the budgets: a search ends at the first that is spent. 0: no limit.
struct LoopOptions {
  unsigned perRound = 5;          ///< candidates, 4 to 6
  unsigned mostRounds = 15;       ///< 300 for the long mode
  unsigned roundsWithoutGain = 3; ///< before it stops
  unsigned parameterRounds = 2;   ///< in a row, before a structure must be proposed
  size_t mostCandidates = 0;
  double deviceSeconds = 0;
  double wallSeconds = 0;
  uint64_t seed = 1;
  double declinedShare = 0.05; ///< of a round's places for what was declined unmeasured
  double enough = 0;           ///< a ratio to stop at, for recordings; 0: none
  bool useFeedback = true;
  bool useWeights = true;
  bool resume = false;
  std::string conditions; ///< source, flags, toolkit, device, protocol: what a search goes on under
};

/// What a search cost and brought.
struct Accounting {
  size_t proposed = 0; ///< by all proposers
  size_t pruned = 0;   ///< declined before nvcc, and left so
  size_t refused = 0;  ///< by memory
  size_t measured = 0; ///< compiled and run, this time
  size_t recalled = 0; ///< taken from the store: measured before the search was cut short
  double compileSeconds = 0;
  double deviceSeconds = 0;
  double wallSeconds = 0;
};

struct LoopResult {
  std::optional<size_t> best; ///< nothing: the original
  double ratio = 1;
  double worst = 1;          ///< of the shapes, of the best
  double medianOfRatios = 0; ///< of all that were timed
  unsigned rounds = 0;
  std::string stopped; ///< why
  Accounting accounting;
  std::string summary; ///< at most 500 words
  double falseKillRate = 0;
  std::vector<StoredOutcome> outcomes;
};

/// Says how far a search is: a line a round.
using Progress = std::function<void(llvm::StringRef)>;

/// Proposes in rounds, measures, learns, and stops. A function of seed, knowledge and outcomes: cut short at
/// any moment and resumed, it takes every outcome that the store holds and goes on to the same result.
class Loop {
public:
  /// All are borrowed. More proposers than the built-in ones: agents and people.
  Loop(Subject &subject, Store &store, LoopOptions options);
  void add(Proposer &proposer) { others_.push_back(&proposer); }
  void onProgress(Progress progress) { progress_ = std::move(progress); }
  /// Asked between measurements; what was measured is in the store.
  void stopWhen(std::function<bool()> isStopped) { isStopped_ = std::move(isStopped); }

  llvm::Expected<LoopResult> run();

private:
  struct State;
  llvm::Error learnBefore(State &state);
  llvm::Expected<bool> playRound(State &state);
  std::vector<Proposal> proposals(State &state);
  std::optional<Proposal> declinedOne(State &state);
  llvm::Error judge(State &state, const Proposal &proposal);
  llvm::Expected<StoredOutcome> outcomeOf(State &state, const Proposal &proposal);
  void learn(State &state, const StoredOutcome &outcome);
  LoopView viewOf(State &state);
  std::string whySpent(const State &state) const;
  std::string whyStop(const State &state) const;
  void say(const State &state) const;

  Subject &subject_;
  Store &store_;
  LoopOptions options_;
  std::vector<Proposer *> others_;
  std::unique_ptr<Proposer> experts_;
  std::unique_ptr<Proposer> tuner_;
  Progress progress_;
  std::function<bool()> isStopped_;
};

/// A round holds 4 to 6 candidates.
unsigned clampPerRound(unsigned wanted);

} // namespace warpwright::loop
