#include "feedback/loop/Memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

namespace warpwright::loop {
namespace {

constexpr double asGood = 1.02;    // times the best
constexpr unsigned fewChecks = 2;  // wrong ones before a rule is judged
constexpr double mostWrong = 0.05; // of those checked

std::string outcomeText(const StoredOutcome &outcome) {
  if (outcome.isTimed())
    return llvm::formatv("{0:F2} times the original's time", outcome.ratio);
  return outcome.verdict + " by " + outcome.stage + ": " + outcome.why;
}

size_t wordsIn(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  return words.size();
}

} // namespace

void Memory::remember(const StoredOutcome &outcome) {
  byIdentity_.try_emplace(outcome.identity, outcomes_.size());
  if (!outcome.mechanism.empty())
    byMechanism_.try_emplace(outcome.mechanism, outcomes_.size());
  outcomes_.push_back(outcome);
}

const StoredOutcome *Memory::find(const std::string &identity) const {
  auto found = byIdentity_.find(identity);
  return found == byIdentity_.end() ? nullptr : &outcomes_[found->second];
}

std::optional<std::string> Memory::refusal(const LoopCandidate &candidate) const {
  if (const StoredOutcome *known = find(candidate.identity()))
    return "tried in round " + std::to_string(known->round) + ": " + outcomeText(*known);
  auto found = byMechanism_.find(candidate.mechanism);
  if (candidate.mechanism.empty() || found == byMechanism_.end())
    return std::nullopt;
  const StoredOutcome &known = outcomes_[found->second];
  return "the same by its facts as '" + known.name + "', tried in round " + std::to_string(known.round) +
         ": " + outcomeText(known);
}

std::string summarise(const std::string &kernel, const std::string &architecture,
                      const std::vector<StoredOutcome> &outcomes, size_t mostWords) {
  std::vector<const StoredOutcome *> order;
  double seconds = 0;
  for (const StoredOutcome &outcome : outcomes) {
    order.push_back(&outcome);
    seconds += outcome.seconds;
  }
  auto rank = [](const StoredOutcome *outcome) { return outcome->isTimed() ? outcome->ratio : 1e9; };
  llvm::sort(order, [&](auto *a, auto *b) {
    return std::make_pair(rank(a), a) < std::make_pair(rank(b), b); // both lie in one vector
  });
  std::string text = llvm::formatv("{0} on {1}: {2} tried, {3:F1} s on the device.\n", kernel, architecture,
                                   outcomes.size(), seconds);
  size_t words = wordsIn(text), left = order.size();
  for (const StoredOutcome *outcome : order) {
    std::string line = "- " + outcome->name + " (round " + std::to_string(outcome->round) + ", " +
                       outcome->proposer +
                       (outcome->bottleneck.empty() ? "" : ", against " + outcome->bottleneck) +
                       "): " + outcomeText(*outcome) + "; " + outcome->reason + "\n";
    // Room is kept for the line that says how many are left out.
    if (words + wordsIn(line) + 6 > mostWords)
      break;
    words += wordsIn(line);
    text += line;
    --left;
  }
  if (left > 0)
    text += "and " + std::to_string(left) + " more\n";
  return text;
}

void ScreenRules::learn(const StoredOutcome &outcome, double best) {
  if (outcome.rule.empty())
    return;
  Tally &tally = tallies_[outcome.rule];
  ++tally.checked;
  tally.wrong += outcome.isTimed() && outcome.ratio <= best * asGood;
}

bool ScreenRules::isTrusted(const std::string &rule) const {
  auto found = tallies_.find(rule);
  return found == tallies_.end() || found->second.wrong < fewChecks ||
         found->second.wrong <= mostWrong * found->second.checked;
}

double ScreenRules::falseKillRate() const {
  unsigned checked = 0, wrong = 0;
  for (const auto &[rule, tally] : tallies_) {
    checked += tally.checked;
    wrong += tally.wrong;
  }
  return checked == 0 ? 0 : double(wrong) / checked;
}

} // namespace warpwright::loop
