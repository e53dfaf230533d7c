#include "feedback/Tuning.h"
#include "rewriters/edits/ApplyEdits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using ::testing::ElementsAre;
using ::testing::Pair;

namespace {

const std::string text = "kernel(a, b) { c }";

Edit edit(const std::string &at, const std::string &by) {
  Edit edit;
  edit.offset = static_cast<unsigned>(text.find(at));
  edit.length = static_cast<unsigned>(at.size());
  edit.text = by;
  return edit;
}

CandidateRecord candidate(const std::string &rewriter, const std::string &subject, std::vector<Edit> edits) {
  CandidateRecord record;
  record.candidate.rewriter = rewriter;
  record.candidate.subject = subject;
  record.candidate.edits = std::move(edits);
  return record;
}

/// Two parameters qualified, and the body written in two ways.
KernelRecord record() {
  KernelRecord record;
  record.choice = "original";
  record.candidates = {candidate("qualify", "parameters", {edit("a", "x a"), edit("b", "x b")}),
                       candidate("body", "loop", {edit("c", "d")}),
                       candidate("body", "loop", {edit("c", "e")}),
                       candidate("other", "b", {edit("b", "y b")})};
  return record;
}

TunedKernel tuned(const KernelRecord &record) {
  return tunedKernel(record, {0, 1, 2, 3}, text);
}

Measurement faster() {
  Measurement measurement;
  measurement.verdict.kind = Verdict::Kind::Accepted;
  ShapeMeasurement shape;
  shape.shape = "n = 1";
  shape.timed = true;
  shape.comparison = TimeComparison::Faster;
  shape.ratio = shape.ratioHigh = 0.8;
  shape.original.median = 100;
  shape.candidate.median = 80;
  measurement.shapes.push_back(shape);
  return measurement;
}

MeasuredChoice choiceOf(UnitSet set) {
  MeasuredChoice choice;
  choice.set = std::move(set);
  choice.reason = "faster";
  return choice;
}

TEST(TunedKernel, CountsEditsAndConflicts) {
  KernelRecord kernel = record();
  TunedKernel result = tuned(kernel);
  EXPECT_THAT(result.measured.candidates, ElementsAre(UnitSet{0, 1}, UnitSet{2}, UnitSet{3}, UnitSet{4}));
  // The second parameter is edited by two; the bodies are points of one space.
  EXPECT_THAT(result.measured.conflicts, ElementsAre(Pair(1u, 4u), Pair(2u, 3u)));
  EXPECT_EQ(result.units[1].change.edits.front(), (LockedEdit{2, "b", "x b"}));
  EXPECT_EQ(result.nameOf({0, 1, 2}), "qualify + body");
  EXPECT_EQ(result.nameOf({1}), "qualify (1 of 2 edits)");
}

TEST(ApplyChoice, ChoosesWholeCandidates) {
  KernelRecord kernel = record();
  TunedKernel result = tuned(kernel);
  result.measured.measured[{0, 1}] = faster();
  applyChoice(result, choiceOf({0, 1}), kernel);
  EXPECT_EQ(kernel.choice, "qualify");
  EXPECT_TRUE(kernel.candidates[0].chosen);
  EXPECT_EQ(kernel.candidates.size(), 4u);
  EXPECT_EQ(kernel.measurements.size(), 1u);
}

TEST(ApplyChoice, DoesNotHoldAgainstACandidateWhatItIsJoinedWith) {
  KernelRecord kernel = record();
  TunedKernel result = tuned(kernel);
  result.measured.candidates.push_back({0, 1, 2});
  result.measured.measured[{0, 1}] = faster();
  Measurement &joint = result.measured.measured[{0, 1, 2}] = faster();
  joint.verdict = {Verdict::Kind::Declined, "device", "results differ"};
  applyChoice(result, choiceOf({}), kernel);
  ASSERT_EQ(kernel.candidates[0].verdicts.size(), 1u);
  EXPECT_EQ(kernel.candidates[0].verdicts[0].kind, Verdict::Kind::Accepted);
  EXPECT_EQ(kernel.measurements.size(), 2u);
}

TEST(ApplyChoice, AddsWhatAblationLeft) {
  KernelRecord kernel = record();
  TunedKernel result = tuned(kernel);
  applyChoice(result, choiceOf({1}), kernel);
  EXPECT_FALSE(kernel.candidates[0].chosen);
  ASSERT_EQ(kernel.candidates.size(), 5u);
  EXPECT_TRUE(kernel.candidates[4].chosen);
  ASSERT_EQ(kernel.candidates[4].candidate.edits.size(), 1u);
  EXPECT_EQ(kernel.candidates[4].candidate.edits[0].text, "x b");
}

TEST(ApplyLock, FindsWhatWasChosen) {
  for (UnitSet set : {UnitSet{0, 1}, UnitSet{1}, UnitSet{0, 1, 2}, UnitSet{3}}) {
    KernelRecord measured = record(), built = record();
    TunedKernel result = tuned(measured);
    result.measured.measured[set] = faster();
    LockEntry entry = entryOf(result, choiceOf(set));
    EXPECT_EQ(entry.measured.size(), 1u);
    applyChoice(result, choiceOf(set), measured);
    ASSERT_EQ(applyLock(entry, text, built), std::nullopt);
    std::vector<std::string> texts[2];
    for (auto [one, into] : {std::pair{&measured, &texts[0]}, {&built, &texts[1]}})
      for (const CandidateRecord &candidate : one->candidates)
        if (candidate.chosen)
          for (const Edit &edit : candidate.candidate.edits)
            into->push_back(edit.text);
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(built.reason, "by the lock: faster");
  }
}

/// The record with a launch "kernel(" that can be chosen by `n`.
KernelRecord dispatchable() {
  KernelRecord kernel = record();
  kernel.dispatch.whyNot.clear();
  Candidate &copy = kernel.dispatch.copy.emplace();
  copy.clone.emplace();
  copy.clone->end = static_cast<unsigned>(text.size());
  copy.clone->at = 0;
  copy.clone->original = "kernel";
  copy.clone->identity = {edit("(", "_warpwright")};
  copy.clone->identity[0].length = 0;
  copy.clone->redirects = copy.clone->identity;
  copy.plan = LaunchPlan::same("kernel");
  DispatchedLaunch launch;
  launch.begin = static_cast<unsigned>(text.size());
  launch.statement = "";
  launch.integers["n"] = "n";
  kernel.dispatch.launches = {launch};
  return kernel;
}

MeasuredChoice guardedChoice() {
  MeasuredChoice choice = choiceOf({0, 1});
  choice.guard = "n >= 8";
  return choice;
}

TEST(ApplyChoice, BuildsUnderAGuard) {
  KernelRecord kernel = dispatchable();
  TunedKernel result = tuned(kernel);
  EXPECT_EQ(result.measured.dispatch.whyNot, "");
  EXPECT_TRUE(result.measured.dispatch.fixed.empty());
  applyChoice(result, guardedChoice(), kernel);
  ASSERT_EQ(kernel.candidates.size(), 5u);
  EXPECT_TRUE(kernel.candidates[4].chosen);
  EXPECT_EQ(kernel.candidates[4].candidate.plan->guard->str(), "n >= 8");
  EXPECT_EQ(kernel.choice, "qualify where n >= 8");
}

TEST(ApplyLock, BuildsUnderTheGuard) {
  KernelRecord kernel = dispatchable();
  LockEntry entry = entryOf(tuned(kernel), guardedChoice());
  ASSERT_EQ(entry.choice.size(), 1u);
  EXPECT_EQ(entry.choice[0].guard, "n >= 8");
  EXPECT_EQ(applyLock(entry, text, kernel), std::nullopt);
  EXPECT_EQ(kernel.candidates.back().candidate.plan->guard->str(), "n >= 8");
  // Its launches are no longer what they were.
  KernelRecord other = record();
  EXPECT_THAT(applyLock(entry, text, other).value_or(""),
              ::testing::HasSubstr("cannot be launched under its guard any more"));
  EXPECT_TRUE(std::none_of(other.candidates.begin(), other.candidates.end(),
                           [](const CandidateRecord &candidate) { return candidate.chosen; }));
}

TEST(ApplyLock, BuildsSeveralVariants) {
  KernelRecord measured = dispatchable(), built = dispatchable();
  MeasuredChoice choice = guardedChoice();
  choice.before = {{{3}, "n <= 2", 2}, {{2}, "n <= 4", 1}};
  TunedKernel kernel = tuned(measured);
  LockEntry entry = entryOf(kernel, choice);
  ASSERT_EQ(entry.choice.size(), 3u);
  EXPECT_EQ(entry.choice[0].guard, "n <= 2");
  applyChoice(kernel, choice, measured);
  EXPECT_EQ(measured.choice, "body where n <= 2; body where n <= 4; qualify where n >= 8");
  ASSERT_EQ(applyLock(entry, text, built), std::nullopt);
  EXPECT_EQ(built.choice, measured.choice);
  std::vector<std::string> texts;
  for (const KernelRecord *record : {&measured, &built}) {
    std::vector<const Candidate *> chosen;
    for (const CandidateRecord &candidate : record->candidates)
      if (candidate.chosen)
        chosen.push_back(&candidate.candidate);
    EXPECT_EQ(chosen.size(), 3u);
    texts.push_back(llvm::cantFail(applyCandidates(text, chosen)));
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_THAT(texts[0], ::testing::HasSubstr("kernel_warpwright_3(a, b) { e }"));
  EXPECT_THAT(texts[0], ::testing::HasSubstr("kernel_warpwright(x a, x b) { c }"));
  // Nothing can be both, everywhere and under a guard.
  entry.choice[0].guard.clear();
  KernelRecord mixed = dispatchable();
  EXPECT_EQ(applyLock(entry, text, mixed), "some of its changes have a guard, others have none");
}

TEST(ApplyLock, SaysWhatIsNotProposedAnyMore) {
  KernelRecord kernel = record();
  LockEntry entry = entryOf(tuned(kernel), choiceOf({0, 1}));
  kernel.candidates.erase(kernel.candidates.begin());
  EXPECT_EQ(applyLock(entry, text, kernel),
            "'qualify' is not proposed any more, or no longer with these edits");
  EXPECT_EQ(kernel.choice, "original");
  // The same rewriter with another text is another change.
  KernelRecord changed = record();
  changed.candidates[0].candidate.edits[1].text = "z b";
  EXPECT_NE(applyLock(entry, text, changed), std::nullopt);
}

TEST(ApplyLock, KeepsTheOriginalThatWasMeasuredBest) {
  KernelRecord kernel = record();
  EXPECT_EQ(applyLock(entryOf(tuned(kernel), choiceOf({})), text, kernel), std::nullopt);
  EXPECT_EQ(kernel.choice, "original");
  EXPECT_EQ(kernel.candidates[0].verdicts.back().stage, "lock");
}

} // namespace
