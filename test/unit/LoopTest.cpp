#include "feedback/loop/Loop.h"
#include "feedback/loop/Surrogate.h"

#include <gtest/gtest.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>

#include <cmath>

using namespace warpwright;
using namespace warpwright::loop;

namespace {

/// Three structures with two parameters each; "tile" is best at size = 64, width = 4.
class Planted : public Subject {
public:
  Planted() {
    for (const char *structure : {"flat", "tile", "swap"})
      for (int64_t size : {8, 16, 32, 64, 128, 256})
        for (int64_t width : {1, 2, 4}) {
          LoopCandidate candidate;
          candidate.structure = structure;
          candidate.parameters = {{"block", size}, {"width", width}};
          candidate.predicted = 1;
          candidates_.push_back(candidate);
        }
  }
  std::string kernel() const override { return "planted"; }
  std::string architecture() const override { return "sm_90"; }
  llvm::ArrayRef<LoopCandidate> candidates() const override { return candidates_; }
  StaticFacts originalFacts() const override { return {}; }
  llvm::Expected<LoopOutcome> measure(size_t candidate) override {
    ++measured;
    LoopOutcome outcome;
    outcome.verdict.kind = Verdict::Kind::Accepted;
    const LoopCandidate &one = candidates_[candidate];
    outcome.ratio = (one.structure == "tile" ? 0.3 : 0.9) +
                    0.05 * std::fabs(std::log2(double(one.parameters.at("block")) / 64)) +
                    0.05 * std::fabs(std::log2(double(one.parameters.at("width")) / 4));
    outcome.worst = outcome.ratio;
    outcome.seconds = 0.1;
    return outcome;
  }
  llvm::Expected<Diagnosed> diagnose(std::optional<size_t>) override {
    return Diagnosed{Bottleneck::MemoryLatency};
  }

  std::vector<LoopCandidate> candidates_;
  unsigned measured = 0;
};

template <typename T> T take(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    std::abort();
  }
  return std::move(*value);
}

std::unique_ptr<Store> inMemory() {
  return take(Store::open(":memory:"));
}

TEST(Loop, FindsThePlantedBestAndStops) {
  Planted subject;
  std::unique_ptr<Store> store = inMemory();
  LoopResult result = take(Loop(subject, *store, {}).run());
  ASSERT_TRUE(result.best);
  EXPECT_EQ(subject.candidates()[*result.best].name(), "tile block=64 width=4");
  EXPECT_EQ(result.stopped, "3 rounds without gain");
  EXPECT_LT(subject.measured, subject.candidates().size());
  EXPECT_EQ(take(store->outcomesOf(1)).size(), subject.measured);
}

TEST(Loop, ForcesAStructureAfterTwoRoundsOfParameters) {
  Planted subject;
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.mostRounds = 4;
  LoopResult result = take(Loop(subject, *store, options).run());
  std::map<unsigned, unsigned> structural;
  for (const StoredOutcome &outcome : result.outcomes)
    structural[outcome.round] += outcome.proposer != "tuner";
  EXPECT_EQ(structural[1], 3u); // one a structure
  EXPECT_EQ(structural[2] + structural[3], 0u);
  EXPECT_EQ(structural[4], 1u);
}

TEST(Loop, HoldsItsBudgets) {
  Planted subject;
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.mostCandidates = 7;
  EXPECT_EQ(take(Loop(subject, *store, options).run()).stopped, "the budget of candidates is spent");
  EXPECT_EQ(subject.measured, 7u);
  options = {};
  options.deviceSeconds = 0.95;
  options.seed = 2;
  EXPECT_EQ(take(Loop(subject, *store, options).run()).stopped, "the budget of device time is spent");
  EXPECT_EQ(subject.measured, 17u);
}

TEST(Loop, GoesOnWhereItWasCutShort) {
  Planted whole;
  std::unique_ptr<Store> store = inMemory();
  LoopResult expected = take(Loop(whole, *store, {}).run());
  for (unsigned cut : {1u, 4u, 9u, 13u}) {
    std::unique_ptr<Store> again = inMemory();
    LoopOptions options;
    options.resume = true;
    Planted subject;
    Loop first(subject, *again, options);
    first.stopWhen([&] { return subject.measured >= cut; });
    EXPECT_EQ(take(first.run()).stopped, "interrupted");
    LoopResult resumed = take(Loop(subject, *again, options).run());
    EXPECT_EQ(resumed.accounting.recalled, cut);
    EXPECT_EQ(subject.measured, whole.measured); // nothing twice
    EXPECT_EQ(resumed.best, expected.best);
    EXPECT_EQ(resumed.stopped, expected.stopped);
  }
}

TEST(Loop, ASearchThatEndedIsResumedUntilAChoiceIsMade) {
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.resume = true;
  Planted subject;
  const LoopResult ended = take(Loop(subject, *store, options).run());
  const unsigned measured = subject.measured;
  // Killed before anything came of it.
  const LoopResult resumed = take(Loop(subject, *store, options).run());
  EXPECT_EQ(subject.measured, measured);
  EXPECT_EQ(resumed.accounting.recalled, measured);
  EXPECT_EQ(resumed.best, ended.best);
  EXPECT_EQ(resumed.stopped, ended.stopped);

  EXPECT_FALSE(store->settle());
  const LoopResult another = take(Loop(subject, *store, options).run());
  EXPECT_EQ(another.accounting.recalled, 0u);
  EXPECT_GT(subject.measured, measured);
}

TEST(Loop, RefusesWhatItsFactsSayWasTried) {
  Planted subject;
  for (LoopCandidate &candidate : subject.candidates_) // width changes a name and nothing else
    candidate.mechanism = candidate.structure + std::to_string(candidate.parameters["block"]);
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.roundsWithoutGain = 100;
  options.mostRounds = 100;
  LoopResult result = take(Loop(subject, *store, options).run());
  EXPECT_EQ(result.stopped, "nothing is left to try");
  EXPECT_EQ(subject.measured, 18u);
}

TEST(Loop, MeasuresOneOfTwoWaysToTheSameSource) {
  Planted subject;
  for (LoopCandidate &candidate : subject.candidates_)
    if (candidate.structure != "tile")
      candidate.source = "same";
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.mostRounds = 1;
  LoopResult result = take(Loop(subject, *store, options).run());
  EXPECT_EQ(subject.measured, 2u); // both proposed in one round
  EXPECT_EQ(result.accounting.refused, 1u);
}

/// Proposes one point of "tile" in every round, and once another without a reason.
class Agent : public Proposer {
public:
  bool isStructural() const override { return true; }
  std::vector<Proposal> propose(const LoopView &view, size_t) override {
    llvm::ArrayRef<LoopCandidate> all = view.subject.candidates();
    const size_t first = llvm::find_if(all, [](auto &one) { return one.structure == "tile"; }) - all.begin();
    return {{first, "agent", {"tile"}, "rows are read twice", 1, true},
            {first + 1, "agent", {}, "", 1, true}};
  }
};

TEST(Loop, JudgesASubmissionLikeOthersAndSweepsItsParameters) {
  Planted subject;
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.mostRounds = 6;
  Loop loop(subject, *store, options);
  Agent agent;
  loop.add(agent);
  const LoopResult result = take(loop.run());
  ASSERT_FALSE(result.outcomes.empty());
  const StoredOutcome &first = result.outcomes.front();
  EXPECT_EQ(first.proposer, "agent");
  EXPECT_EQ(first.reason, "rows are read twice");
  EXPECT_EQ(first.name, "tile block=8 width=1");
  // Others have their places beside it; nothing comes in without a reason, and nothing twice.
  EXPECT_TRUE(
      llvm::any_of(result.outcomes, [](auto &one) { return one.round == 1 && one.proposer != "agent"; }));
  EXPECT_EQ(llvm::count_if(result.outcomes, [](auto &one) { return one.proposer == "agent"; }), 1);
  EXPECT_GE(result.accounting.refused, result.rounds - 1);
  // Its structure is held once it is the best, and the tuner moves its parameters.
  ASSERT_TRUE(result.best);
  EXPECT_EQ(subject.candidates()[*result.best].name(), "tile block=64 width=4");
  EXPECT_TRUE(llvm::any_of(result.outcomes,
                           [](auto &one) { return one.structure == "tile" && one.proposer == "tuner"; }));
}

/// Declines everything of "tile", which holds the best.
class Misjudged : public Planted {
public:
  Misjudged() {
    for (LoopCandidate &candidate : candidates_)
      if (candidate.structure == "tile") {
        candidate.screened = {Verdict::Kind::Declined, "pre-screen", "looks slow"};
        candidate.rule = "static cost";
      }
  }
};

TEST(Loop, ARuleThatKillsGoodCandidatesStopsKilling) {
  Misjudged subject;
  std::unique_ptr<Store> store = inMemory();
  LoopOptions options;
  options.roundsWithoutGain = 20;
  options.mostRounds = 40;
  options.declinedShare = 0.2;
  LoopResult result = take(Loop(subject, *store, options).run());
  ASSERT_TRUE(result.best);
  EXPECT_EQ(subject.candidates()[*result.best].name(), "tile block=64 width=4");
  EXPECT_GT(result.falseKillRate, 0.05);
}

TEST(Memory, SaysWhatCameOfIt) {
  Memory memory;
  StoredOutcome outcome;
  LoopCandidate candidate;
  candidate.structure = "pad-shared-array";
  candidate.parameters = {{"pad", 1}};
  candidate.mechanism = "m";
  outcome.identity = candidate.identity();
  outcome.name = candidate.name();
  outcome.mechanism = "m";
  outcome.round = 2;
  outcome.ratio = 1.25;
  memory.remember(outcome);
  EXPECT_EQ(*memory.refusal(candidate), "tried in round 2: 1.25 times the original's time");
  candidate.structure = "swizzle-shared";
  EXPECT_EQ(*memory.refusal(candidate),
            "the same by its facts as 'pad-shared-array pad=1', tried in round 2: 1.25 times "
            "the original's time");
  candidate.mechanism = "other";
  EXPECT_FALSE(memory.refusal(candidate));
}

TEST(Memory, SummaryHasAtMostFiveHundredWords) {
  std::vector<StoredOutcome> outcomes(200);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].name = "candidate number " + std::to_string(i);
    outcomes[i].reason = "because of many words that are said of it here and there";
    outcomes[i].ratio = double(200 - i);
  }
  std::string text = summarise("k", "sm_90", outcomes);
  size_t words = 0;
  for (size_t i = 1; i < text.size(); ++i)
    words += std::isspace(text[i]) && !std::isspace(text[i - 1]);
  EXPECT_LE(words, 500u);
  EXPECT_NE(text.find("candidate number 199"), std::string::npos); // the best is in it
  EXPECT_NE(text.find(" more\n"), std::string::npos);
}

TEST(Memory, SummaryDoesNotLeadWithWhatIsWrong) {
  StoredOutcome right, wrong;
  right.name = "right";
  right.ratio = 0.5;
  wrong.name = "wrong";
  wrong.ratio = 0.1;
  wrong.verdict = "declined";
  wrong.stage = "device";
  wrong.why = "results differ";
  std::string text = summarise("k", "sm_90", {wrong, right});
  EXPECT_LT(text.find("- right"), text.find("- wrong"));
  EXPECT_NE(text.find("declined by device: results differ"), std::string::npos);
}

/// Values that hardly differ say nothing of what is far: three like figures must not end a search.
TEST(Surrogate, StaysUnsureFarFromWhatWasMeasured) {
  const Surrogate surrogate({{0, 0}, {0.1, 0}, {0, 0.1}}, {0.2, 0.201, 0.199});
  EXPECT_NEAR(surrogate.guess({0.1, 0}).mean, 0.201, 1e-3);
  EXPECT_LT(surrogate.guess({0.05, 0.05}).deviation, 0.05);
  EXPECT_GT(surrogate.guess({1, 1}).deviation, 0.4);
}

TEST(StrategyWeights, LearnByBottleneckAndForget) {
  StrategyWeights weights;
  for (int i = 0; i < 20; ++i) {
    weights.learn({"vectorise-access", "memory-bandwidth", "sm_90", 0.3});
    weights.learn({"unroll-loop", "memory-bandwidth", "sm_90", 0});
  }
  EXPECT_GT(weights.mean("vectorise-access", "memory-bandwidth", "sm_90"), 0.9);
  EXPECT_LT(weights.mean("unroll-loop", "memory-bandwidth", "sm_90"), 0.1);
  // What is known under one bottleneck is a hint under another.
  EXPECT_GT(weights.mean("vectorise-access", "compute", "sm_90"), 0.6);
  EXPECT_NEAR(weights.mean("never-tried", "compute", "sm_90"), 0.5, 1e-9);
  double before = weights.mean("vectorise-access", "memory-bandwidth", "sm_90");
  for (int i = 0; i < 600; ++i)
    weights.learn({"unroll-loop", "memory-bandwidth", "sm_90", 0});
  EXPECT_LT(weights.mean("vectorise-access", "memory-bandwidth", "sm_90"), before);
  for (int i = 0; i < 8; ++i) // and ten fresh failures turn it
    weights.learn({"vectorise-access", "memory-bandwidth", "sm_90", 0});
  EXPECT_LT(weights.mean("vectorise-access", "memory-bandwidth", "sm_90"), 0.5);
}

TEST(Store, KeepsSearchesExportsAndImports) {
  std::unique_ptr<Store> store = inMemory();
  Planted subject;
  take(Loop(subject, *store, {}).run());
  std::vector<StoredOutcome> found = take(store->search("tile block=64", 3));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().structure, "tile");
  EXPECT_TRUE(take(store->search("no\"such OR", 3)).empty()); // words, not a query language
  std::string text;
  llvm::raw_string_ostream stream(text);
  ASSERT_FALSE(store->exportLines(stream));
  std::unique_ptr<Store> other = inMemory();
  EXPECT_EQ(take(other->importLines(text)), subject.measured);
  EXPECT_EQ(take(other->importLines(text)), 0u);
  EXPECT_EQ(take(other->search("tile", 100)).size(), take(store->search("tile", 100)).size());
  EXPECT_EQ(take(other->all()).size(), subject.measured);
  ASSERT_FALSE(other->resetWeights());
  EXPECT_TRUE(take(other->all()).empty());
  EXPECT_FALSE(take(other->search("tile", 100)).empty()); // what was tried stays known
}

TEST(Store, RefusesDamagedLines) {
  std::unique_ptr<Store> store = inMemory();
  auto message = [&](const std::string &text) {
    return llvm::toString(store->importLines(text).takeError());
  };
  EXPECT_EQ(message("nothing"), "line 1 of the knowledge: is no JSON object");
  EXPECT_EQ(message("{}"), "line 1 of the knowledge: must say schema \"warpwright/knowledge/1\"");
  EXPECT_EQ(message("\n{\"schema\": \"warpwright/knowledge/1\", \"kernel\": 3}"),
            "line 2 of the knowledge: 'kernel' must be a text");
  EXPECT_TRUE(take(store->all()).empty());
}

TEST(Store, LosesNothingThatWasCommitted) {
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("knowledge", "sqlite", path));
  {
    std::unique_ptr<Store> store = take(Store::open(path.str().str()));
    Planted subject;
    LoopOptions options;
    options.mostCandidates = 5;
    take(Loop(subject, *store, options).run());
  }
  EXPECT_EQ(take(take(Store::open(path.str().str()))->all()).size(), 5u);
  {
    std::unique_ptr<Store> store = take(Store::open(path.str().str()));
    EXPECT_FALSE(take(store->answer("job")));
    ASSERT_FALSE(store->keepAnswer("job", "1 us"));
  }
  EXPECT_EQ(take(take(Store::open(path.str().str()))->answer("job")), "1 us");
  llvm::sys::fs::remove(path);
  EXPECT_NE(llvm::toString(Store::open("/nowhere/at/all.sqlite").takeError()).find("cannot open"),
            std::string::npos);
}

} // namespace
