#include "feedback/loop/Loop.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <chrono>
#include <cmath>
#include <set>

namespace warpwright::loop {
namespace {

constexpr double gainOfARound = 0.005;  ///< less is noise
constexpr double explorationStep = 0.5; ///< a round without gain

} // namespace

struct Loop::State {
  StoredSession session;
  Memory memory;
  StrategyWeights weights;
  ScreenRules rules;
  std::mt19937_64 random;
  LoopResult result;
  Diagnosed bottlenecks;
  std::string structure;
  unsigned parameterRounds = 0; ///< in a row
  unsigned withoutGain = 0;
  double started = 1; ///< the best ratio when the round began
  std::map<size_t, double> ratios;
  std::map<std::string, StoredOutcome> recalled;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

unsigned clampPerRound(unsigned wanted) {
  return std::clamp(wanted, 4u, 6u);
}

Loop::Loop(Subject &subject, Store &store, LoopOptions options)
    : subject_(subject), store_(store), options_(std::move(options)), experts_(structureExperts()),
      tuner_(parameterTuner()) {}

llvm::Error Loop::learnBefore(State &state) {
  llvm::Expected<StoredSession> session =
      store_.begin({0, subject_.kernel(), subject_.architecture(), options_.conditions, options_.seed, 0},
                   options_.resume);
  if (!session)
    return session.takeError();
  state.session = *session;
  state.random.seed(state.session.seed);
  llvm::Expected<std::vector<StoredOutcome>> learnt = store_.learntBefore(state.session);
  if (!learnt)
    return learnt.takeError();
  for (const StoredOutcome &outcome : *learnt)
    learn(state, outcome);
  llvm::Expected<std::vector<StoredOutcome>> own = store_.outcomesOf(state.session.id);
  if (!own)
    return own.takeError();
  for (StoredOutcome &outcome : *own)
    state.recalled.emplace(outcome.identity, std::move(outcome));
  if (!options_.useFeedback)
    return llvm::Error::success();
  llvm::Expected<Diagnosed> diagnosed = subject_.diagnose(std::nullopt);
  if (!diagnosed)
    return diagnosed.takeError();
  state.bottlenecks = std::move(*diagnosed);
  return llvm::Error::success();
}

llvm::Expected<LoopResult> Loop::run() {
  State state;
  if (llvm::Error error = learnBefore(state))
    return std::move(error);
  LoopResult &result = state.result;
  while (result.stopped.empty()) {
    llvm::Expected<bool> any = playRound(state);
    if (!any)
      return any.takeError();
    if (!*any && result.stopped.empty())
      result.stopped = "nothing is left to try";
    if (result.stopped.empty())
      result.stopped = whyStop(state);
  }
  result.outcomes = state.memory.outcomes();
  result.falseKillRate = state.rules.falseKillRate();
  std::vector<double> ratios;
  for (const auto &[candidate, ratio] : state.ratios)
    ratios.push_back(ratio);
  llvm::sort(ratios);
  result.medianOfRatios = ratios.empty() ? 0 : ratios[ratios.size() / 2];
  result.accounting.wallSeconds = state.seconds();
  for (const LoopCandidate &candidate : subject_.candidates())
    result.accounting.pruned +=
        candidate.screened.kind == Verdict::Kind::Declined && !state.memory.find(candidate.identity());
  // One that was interrupted is not over.
  if (isStopped_ && isStopped_())
    return std::move(result);
  if (llvm::Error error = store_.finish(state.session.id))
    return std::move(error);
  return std::move(result);
}

LoopView Loop::viewOf(State &state) {
  LoopView view{subject_,
                state.memory,
                options_.useWeights ? &state.weights : nullptr,
                state.bottlenecks,
                state.result.best,
                state.result.ratio,
                state.structure,
                1 + explorationStep * state.withoutGain,
                state.random,
                {},
                state.ratios,
                state.result.rounds};
  for (const LoopCandidate &candidate : subject_.candidates()) {
    bool isDeclined = candidate.screened.kind == Verdict::Kind::Declined &&
                      (candidate.rule.empty() || state.rules.isTrusted(candidate.rule));
    view.open.push_back(!isDeclined && !state.memory.refusal(candidate));
  }
  return view;
}

/// Structures first; then parameters, and a structure again where the tuner had its rounds or has no more to
/// say.
std::vector<Proposal> Loop::proposals(State &state) {
  std::optional<Proposal> joint = combination(subject_, state.ratios); // may add a candidate
  LoopView view = viewOf(state);
  const size_t places = clampPerRound(options_.perRound);
  std::vector<Proposal> chosen;
  std::set<std::string> identities, mechanisms;
  auto take = [&](std::vector<Proposal> proposed, size_t most) {
    state.result.accounting.proposed += proposed.size();
    for (Proposal &proposal : proposed) {
      if (chosen.size() >= places || most == 0)
        return;
      if (proposal.candidate >= view.open.size() || proposal.reason.empty())
        continue;
      // Within a round memory has not seen yet what its other proposals are.
      const LoopCandidate &candidate = subject_.candidates()[proposal.candidate];
      if (!view.open[proposal.candidate] || !identities.insert(candidate.identity()).second ||
          (!candidate.mechanism.empty() && !mechanisms.insert(candidate.mechanism).second)) {
        ++state.result.accounting.refused;
        continue;
      }
      view.open[proposal.candidate] = false;
      chosen.push_back(std::move(proposal));
      --most;
    }
  };
  if (joint && !state.memory.refusal(subject_.candidates()[joint->candidate]))
    take({std::move(*joint)}, 1);
  for (Proposer *other : others_)
    take(other->propose(view, places), places);
  if (state.structure.empty() || state.result.rounds == 0) {
    take(experts_->propose(view, places), places);
    return chosen;
  }
  if (state.parameterRounds >= options_.parameterRounds) {
    take(experts_->propose(view, 1), 1);
    state.parameterRounds = 0;
  }
  take(tuner_->propose(view, places), places);
  if (chosen.size() < places)
    take(experts_->propose(view, places), places);
  return chosen;
}

/// Now and then one that was declined unmeasured is measured, so that its rule is held against a device.
std::optional<Proposal> Loop::declinedOne(State &state) {
  if (std::uniform_real_distribution<double>()(state.random) >=
      options_.declinedShare * clampPerRound(options_.perRound))
    return std::nullopt;
  std::vector<size_t> declined;
  for (size_t i = 0; i < subject_.candidates().size(); ++i) {
    const LoopCandidate &candidate = subject_.candidates()[i];
    if (candidate.screened.kind == Verdict::Kind::Declined && !candidate.rule.empty() &&
        state.rules.isTrusted(candidate.rule) && !state.memory.refusal(candidate))
      declined.push_back(i);
  }
  if (declined.empty())
    return std::nullopt;
  size_t one = declined[std::uniform_int_distribution<size_t>(0, declined.size() - 1)(state.random)];
  const LoopCandidate &candidate = subject_.candidates()[one];
  return Proposal{one, "screen", {}, "whether '" + candidate.rule + "' was right to decline it", 0, false};
}

llvm::Expected<bool> Loop::playRound(State &state) {
  const size_t refused = state.result.accounting.refused;
  std::vector<Proposal> chosen = proposals(state);
  if (std::optional<Proposal> declined = declinedOne(state))
    chosen.push_back(std::move(*declined));
  if (chosen.empty()) {
    if (state.result.accounting.refused > refused)
      state.result.stopped = "a cycle: all that is proposed was tried";
    return false;
  }
  ++state.result.rounds;
  state.started = state.result.ratio;
  const std::optional<size_t> before = state.result.best;
  if (llvm::none_of(chosen, [](const Proposal &proposal) { return proposal.structural; }))
    ++state.parameterRounds;
  for (const Proposal &proposal : chosen)
    if (!state.recalled.contains(subject_.candidates()[proposal.candidate].identity()))
      subject_.prepare(proposal.candidate);
  for (const Proposal &proposal : chosen) {
    // The one that was declined may be what another of this round was.
    if (state.memory.refusal(subject_.candidates()[proposal.candidate])) {
      ++state.result.accounting.refused;
      continue;
    }
    if (llvm::Error error = judge(state, proposal))
      return std::move(error);
    if (std::string why = whySpent(state); !why.empty()) {
      state.result.stopped = why;
      break;
    }
  }
  bool gained = std::log(state.started / state.result.ratio) > gainOfARound;
  state.withoutGain = gained ? 0 : state.withoutGain + 1;
  state.result.summary = summarise(subject_.kernel(), subject_.architecture(), state.memory.outcomes());
  if (llvm::Error error = store_.setSummary(subject_.kernel(), subject_.architecture(), state.result.summary))
    return std::move(error);
  if (state.result.best != before) {
    state.structure = subject_.candidates()[*state.result.best].structure;
    if (options_.useFeedback) { // each new best is looked at again: bottlenecks move
      llvm::Expected<Diagnosed> diagnosed = subject_.diagnose(state.result.best);
      if (!diagnosed)
        return diagnosed.takeError();
      state.bottlenecks = std::move(*diagnosed);
    }
  }
  say(state);
  return true;
}

llvm::Expected<StoredOutcome> Loop::outcomeOf(State &state, const Proposal &proposal) {
  const LoopCandidate &candidate = subject_.candidates()[proposal.candidate];
  if (auto known = state.recalled.find(candidate.identity()); known != state.recalled.end()) {
    ++state.result.accounting.recalled;
    subject_.recall(proposal.candidate, known->second.detail);
    return known->second;
  }
  llvm::Expected<LoopOutcome> measured = subject_.measure(proposal.candidate);
  if (!measured)
    return measured.takeError();
  StoredOutcome outcome;
  outcome.session = state.session.id;
  outcome.round = state.result.rounds;
  outcome.kernel = subject_.kernel();
  outcome.architecture = subject_.architecture();
  outcome.identity = candidate.identity();
  outcome.mechanism = candidate.mechanism;
  outcome.name = candidate.name();
  outcome.structure = candidate.structure;
  outcome.proposer = proposal.proposer;
  outcome.strategy = llvm::join(proposal.strategies, ", ");
  outcome.bottleneck = labelOf(state.bottlenecks);
  outcome.reason = proposal.reason;
  outcome.verdict = toString(measured->verdict.kind);
  outcome.stage = measured->verdict.stage;
  outcome.why = measured->verdict.reason;
  outcome.rule = candidate.screened.kind == Verdict::Kind::Declined ? candidate.rule : "";
  outcome.ratio = measured->ratio;
  outcome.worst = measured->worst;
  outcome.gain = measured->ratio > 0 && measured->verdict.kind != Verdict::Kind::Declined
                     ? std::max(0.0, std::log(state.started / measured->ratio))
                     : 0;
  outcome.seconds = measured->seconds;
  outcome.compileSeconds = measured->compileSeconds;
  outcome.detail = measured->detail;
  ++state.result.accounting.measured;
  if (llvm::Error error = store_.add(outcome))
    return std::move(error);
  return outcome;
}

void Loop::learn(State &state, const StoredOutcome &outcome) {
  StoredOutcome seen = outcome;
  if (!options_.useFeedback)
    seen.bottleneck.clear();
  state.weights.learn(seen);
}

llvm::Error Loop::judge(State &state, const Proposal &proposal) {
  llvm::Expected<StoredOutcome> outcome = outcomeOf(state, proposal);
  if (!outcome)
    return outcome.takeError();
  LoopResult &result = state.result;
  state.memory.remember(*outcome);
  learn(state, *outcome);
  state.rules.learn(*outcome, result.ratio);
  result.accounting.deviceSeconds += outcome->seconds;
  result.accounting.compileSeconds += outcome->compileSeconds;
  if (outcome->isTimed()) {
    state.ratios[proposal.candidate] = outcome->ratio;
    if (outcome->ratio < result.ratio) {
      result.best = proposal.candidate;
      result.ratio = outcome->ratio;
      result.worst = outcome->worst;
    }
  }
  return llvm::Error::success();
}

/// Asked after every candidate.
std::string Loop::whySpent(const State &state) const {
  const LoopResult &result = state.result;
  if (isStopped_ && isStopped_())
    return "interrupted";
  if (options_.enough > 0 && result.ratio <= options_.enough)
    return "good enough";
  if (options_.mostCandidates > 0 && state.memory.outcomes().size() >= options_.mostCandidates)
    return "the budget of candidates is spent";
  if (options_.deviceSeconds > 0 && result.accounting.deviceSeconds >= options_.deviceSeconds)
    return "the budget of device time is spent";
  if (options_.wallSeconds > 0 && state.seconds() >= options_.wallSeconds)
    return "the budget of wall time is spent";
  return {};
}

/// Asked after every round.
std::string Loop::whyStop(const State &state) const {
  if (std::string why = whySpent(state); !why.empty())
    return why;
  if (state.withoutGain >= options_.roundsWithoutGain)
    return std::to_string(options_.roundsWithoutGain) + " rounds without gain";
  if (state.result.rounds >= options_.mostRounds)
    return std::to_string(options_.mostRounds) + " rounds";
  return {};
}

void Loop::say(const State &state) const {
  if (!progress_)
    return;
  const LoopResult &result = state.result;
  std::string left = std::to_string(options_.mostRounds - result.rounds) + " rounds";
  if (options_.mostCandidates > 0)
    left += ", " +
            std::to_string(options_.mostCandidates -
                           std::min(options_.mostCandidates, state.memory.outcomes().size())) +
            " candidates";
  if (options_.wallSeconds > 0)
    left += llvm::formatv(", {0:F0} s", std::max(0.0, options_.wallSeconds - state.seconds())).str();
  progress_(llvm::formatv("round {0}: best {1} at {2:F3} of the original's time{3}; {4} left", result.rounds,
                          result.best ? subject_.candidates()[*result.best].name() : "the original",
                          result.ratio, state.bottlenecks.empty() ? "" : ", " + labelOf(state.bottlenecks),
                          left)
                .str());
}

} // namespace warpwright::loop
