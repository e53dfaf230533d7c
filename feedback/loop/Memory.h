#pragma once

#include "feedback/loop/Candidates.h"
#include "feedback/loop/Store.h"

#include <map>
#include <string>

namespace warpwright::loop {

/// What one search has tried. A candidate is refused by what it is, not by what it is called.
class Memory {
public:
  void remember(const StoredOutcome &outcome);
  /// Why it is not to be tried again, with what came of it then; nothing where it is new. Known by identity,
  /// or, under another name or on the way back from a change to what was before it, by facts.
  std::optional<std::string> refusal(const LoopCandidate &candidate) const;
  const std::vector<StoredOutcome> &outcomes() const { return outcomes_; }
  const StoredOutcome *find(const std::string &identity) const;

private:
  std::vector<StoredOutcome> outcomes_;
  std::map<std::string, size_t> byIdentity_;
  std::map<std::string, size_t> byMechanism_;
};

/// For people and agents, in at most so many words: what was tried, figures, verdicts, why. The best come
/// first, then what failed, a line each.
std::string summarise(const std::string &kernel, const std::string &architecture,
                      const std::vector<StoredOutcome> &outcomes, size_t mostWords = 500);

/// Rules that decline candidates before nvcc, held against what a device says of those they declined. A rule
/// that killed good candidates stops killing.
class ScreenRules {
public:
  struct Tally {
    unsigned checked = 0; ///< declined by the rule and measured anyway
    unsigned wrong = 0;   ///< of them, within 2 % of the best or better
  };
  void learn(const StoredOutcome &outcome, double best);
  bool isTrusted(const std::string &rule) const;
  /// Of all rules: wrong over checked; 0 where nothing was checked.
  double falseKillRate() const;

private:
  std::map<std::string, Tally> tallies_;
};

} // namespace warpwright::loop
