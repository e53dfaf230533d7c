#include "feedback/ChooseMeasured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

using namespace warpwright;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// A shape as the runner would have judged it, with intervals of half a percent.
ShapeMeasurement shape(const std::string &name, double ratio, double noise = 0.002) {
  ShapeMeasurement result;
  result.shape = name;
  result.timed = true;
  result.noise = noise;
  result.original.median = 100;
  result.candidate.median = 100 * ratio;
  result.ratio = ratio;
  result.ratioLow = ratio - 0.005;
  result.ratioHigh = ratio + 0.005;
  double margin = std::max(0.01, noise);
  result.comparison = result.ratioHigh < 1 - margin           ? TimeComparison::Faster
                      : result.ratioLow > 1 + margin          ? TimeComparison::Slower
                      : std::abs(ratio - 1) + 0.005 <= margin ? TimeComparison::Same
                                                              : TimeComparison::Ambiguous;
  return result;
}

Measurement measurement(std::vector<double> ratios) {
  Measurement result;
  result.verdict = {Verdict::Kind::Accepted, "device", "results hold"};
  for (size_t i = 0; i < ratios.size(); ++i)
    result.shapes.push_back(shape("n = " + std::to_string(i), ratios[i]));
  return result;
}

/// Measures whatever is needed by a formula, until the choice is final.
MeasuredChoice settle(MeasuredCase &measured, const std::function<Measurement(const UnitSet &)> &measure) {
  for (unsigned round = 0; round < 20; ++round) {
    MeasuredChoice choice = chooseByMeasurement(measured);
    if (choice.needed.empty())
      return choice;
    for (const UnitSet &set : choice.needed)
      measured.measured[set] = measure(set);
  }
  ADD_FAILURE() << "does not end";
  return {};
}

bool has(const UnitSet &set, unsigned unit) {
  return std::find(set.begin(), set.end(), unit) != set.end();
}

/// A case of one candidate, faster on the first shape and slower on the others, that may be dispatched.
MeasuredCase dispatchable() {
  MeasuredCase measured;
  measured.candidates = {{0}};
  measured.measured[{0}] = measurement({0.5, 1.2, 1.1});
  measured.dispatch.whyNot.clear();
  for (int64_t i = 0; i < 3; ++i)
    measured.dispatch.scalars["n = " + std::to_string(i)] = {{"n", 100 - i}};
  return measured;
}

TEST(Dispatch, TakesWhatIsFasterSomewhereThere) {
  MeasuredChoice choice = chooseByMeasurement(dispatchable());
  EXPECT_EQ(choice.set, UnitSet{0});
  EXPECT_EQ(choice.guard, "n >= 100");
  EXPECT_THAT(choice.reason,
              HasSubstr("launched where n >= 100 (n = 0), the original elsewhere (n = 1; n = 2)"));
  ASSERT_TRUE(choice.underGuard);
  EXPECT_EQ(choice.underGuard->shapes[1].ratio, 1);
}

TEST(Dispatch, KeepsTheOriginalWhereItMayNot) {
  MeasuredCase measured = dispatchable();
  measured.dispatch.whyNot = "allow(dispatch) does not admit it";
  MeasuredChoice choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.set, IsEmpty());
  EXPECT_EQ(choice.conditional[0].guard, "n >= 100");
  EXPECT_THAT(choice.reason, HasSubstr("slower on others: allow(dispatch) does not admit it"));
  measured = dispatchable();
  measured.dispatch.fixed[0] = "it edits more";
  EXPECT_EQ(chooseByMeasurement(measured).conditional[0].whyNot, "it edits more");
}

TEST(Dispatch, KeepsTheOriginalWhereNothingSeparates) {
  MeasuredCase measured = dispatchable();
  measured.dispatch.scalars["n = 1"]["n"] = 100;
  MeasuredChoice choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.set, IsEmpty());
  EXPECT_THAT(choice.conditional[0].whyNot, HasSubstr("no simple condition"));
  measured.dispatch.scalars.erase("n = 1");
  EXPECT_THAT(chooseByMeasurement(measured).set, IsEmpty());
}

TEST(Dispatch, IsMeasuredAsAWhole) {
  MeasuredCase measured = dispatchable();
  measured.dispatch.measured = true;
  MeasuredChoice choice = chooseByMeasurement(measured);
  ASSERT_EQ(choice.neededGuarded.size(), 1u);
  measured.dispatch.asAWhole[choice.neededGuarded.front()] = measurement({0.5, 1.0, 1.0});
  choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.neededGuarded, IsEmpty());
  EXPECT_EQ(choice.guard, "n >= 100");
  // Elsewhere it is the original's own launch: noise there says nothing.
  measured.dispatch.asAWhole.begin()->second = measurement({0.5, 1.012, 1.0});
  EXPECT_EQ(chooseByMeasurement(measured).guard, "n >= 100");
  // What it gains is lost again by the choice itself.
  measured.dispatch.asAWhole.begin()->second = measurement({0.5, 1.05, 1.0});
  choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.neededGuarded, IsEmpty());
  EXPECT_THAT(choice.set, IsEmpty());
  EXPECT_THAT(choice.conditional[0].whyNot, HasSubstr("measured under the guard: "));
}

TEST(Dispatch, CountsAsTheOriginalElsewhere) {
  // Everywhere a tenth faster beats half the time on one of three shapes only by the whole family.
  MeasuredCase measured = dispatchable();
  measured.candidates.push_back({1});
  measured.conflicts = {{0, 1}};
  measured.measured[{1}] = measurement({0.75, 0.75, 0.75});
  EXPECT_EQ(chooseByMeasurement(measured).set, UnitSet{1});
  measured.measured[{1}] = measurement({0.95, 0.95, 0.95});
  EXPECT_EQ(chooseByMeasurement(measured).set, UnitSet{0});
}

TEST(Dispatch, ShutsOutWhatMayBeSlower) {
  MeasuredCase measured = dispatchable();
  Measurement &open = measured.measured[{0}] = measurement({0.5, 0.5, 1.0});
  open.shapes[2].comparison = TimeComparison::Ambiguous;
  open.shapes[2].ratioHigh = 1.05;
  MeasuredChoice choice = chooseByMeasurement(measured);
  EXPECT_EQ(choice.guard, "n >= 99");
}

/// One set for the largest of four shapes, one for the others; the last shape gains nowhere else.
MeasuredCase ofTwo() {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}};
  measured.conflicts = {{0, 1}};
  measured.measured[{0}] = measurement({0.4, 0.5, 1.3, 1.2});
  measured.measured[{1}] = measurement({1.5, 1.4, 0.9, 1.1});
  measured.dispatch.whyNot.clear();
  for (int64_t i = 0; i < 4; ++i)
    measured.dispatch.scalars["n = " + std::to_string(i)] = {{"n", 100 - i}};
  return measured;
}

TEST(VariantChain, AsksAnotherFirst) {
  MeasuredCase measured = ofTwo();
  measured.measured[{1}].shapes[3] = shape("n = 3", 0.9);
  MeasuredChoice choice = chooseByMeasurement(measured);
  EXPECT_EQ(choice.set, UnitSet{0});
  EXPECT_EQ(choice.guard, "n >= 99");
  ASSERT_EQ(choice.before.size(), 1u);
  EXPECT_EQ(choice.before[0], (GuardedSet{{1}, "n <= 98", 1}));
  EXPECT_EQ(choice.underGuard->shapes[0].ratio, 0.4);
  EXPECT_EQ(choice.underGuard->shapes[3].ratio, 0.9);
  EXPECT_THAT(choice.reason, HasSubstr("faster on 4 of 4 shapes"));
  EXPECT_THAT(choice.reason, HasSubstr("launched where n <= 98 (n = 2; n = 3); then where n >= 99 (n = 0; n "
                                       "= 1), the original elsewhere ()"));
}

TEST(VariantChain, AsksForNothingThatNoGuardSeparates) {
  // It gains between shapes on which it loses.
  MeasuredChoice choice = chooseByMeasurement(ofTwo());
  EXPECT_EQ(choice.guard, "n >= 99");
  EXPECT_THAT(choice.before, ElementsAre(GuardedSet{{1}, "n % 98 == 0", 1}));
  MeasuredCase measured = ofTwo();
  measured.dispatch.scalars["n = 3"]["n"] = 196;
  EXPECT_THAT(chooseByMeasurement(measured).before, IsEmpty());
}

TEST(VariantChain, GoesBeforeWhatIsLaunchedEverywhere) {
  MeasuredCase measured = ofTwo();
  measured.measured[{0}] = measurement({0.4, 0.5, 0.6, 0.6});
  measured.measured[{1}] = measurement({0.9, 0.9, 0.2, 0.2});
  MeasuredChoice choice = chooseByMeasurement(measured);
  // By the mean over the family the second leads.
  EXPECT_EQ(choice.set, UnitSet{1});
  EXPECT_EQ(choice.guard, "1");
  EXPECT_THAT(choice.before, ElementsAre(GuardedSet{{0}, "n >= 99", 1}));
  EXPECT_THAT(choice.reason, HasSubstr("then everywhere else (n = 2; n = 3)"));
  measured.dispatch.whyNot = "allow(dispatch) does not admit it";
  choice = chooseByMeasurement(measured);
  EXPECT_EQ(choice.guard, "");
  EXPECT_THAT(choice.before, IsEmpty());
}

TEST(VariantChain, IsMeasuredBeforeItIsTaken) {
  MeasuredCase measured = ofTwo();
  measured.measured[{1}].shapes[3] = shape("n = 3", 0.9);
  measured.dispatch.measured = true;
  MeasuredChoice choice = chooseByMeasurement(measured);
  ASSERT_THAT(choice.neededGuarded, ElementsAre(GuardedSet{{0}, "n >= 99", 0}));
  measured.dispatch.asAWhole[choice.neededGuarded[0]] = measurement({0.4, 0.5, 1, 1});
  choice = chooseByMeasurement(measured);
  ASSERT_THAT(choice.neededGuarded, ElementsAre(GuardedSet{{1}, "n <= 98", 1}));
  measured.dispatch.asAWhole[choice.neededGuarded[0]] = measurement({1, 1, 0.9, 1.1});
  choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.neededGuarded, IsEmpty());
  EXPECT_THAT(choice.before, IsEmpty());
  EXPECT_EQ(choice.guard, "n >= 99");
  measured.dispatch.asAWhole.rbegin()->second = measurement({1.012, 1, 0.9, 0.9});
  EXPECT_EQ(chooseByMeasurement(measured).before.size(), 1u);
  measured.dispatch.asAWhole.rbegin()->second = measurement({1, 1, 0.9, 0.9});
  EXPECT_EQ(chooseByMeasurement(measured).before.size(), 1u);
}

TEST(VariantChain, TakesNothingThatGainsLittle) {
  MeasuredCase measured = ofTwo();
  measured.measured[{1}] = measurement({1.5, 1.4, 0.985, 0.985});
  MeasuredChoice choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.before, IsEmpty());
}

TEST(JudgeMeasurement, AcceptsWhatGainsAndLosesNowhere) {
  Verdict verdict = judgeMeasurement(measurement({0.9, 1.0, 0.8}));
  EXPECT_EQ(verdict.kind, Verdict::Kind::Accepted);
  EXPECT_THAT(verdict.reason, HasSubstr("faster on 2 of 3 shapes"));
}

TEST(JudgeMeasurement, DeclinesWhatLosesSomewhereOrGainsNowhere) {
  EXPECT_THAT(judgeMeasurement(measurement({0.9, 1.05})).reason,
              HasSubstr("faster on 'n = 0' (0.900), but slower on 'n = 1' (1.050)"));
  Verdict same = judgeMeasurement(measurement({1.0, 1.001}));
  EXPECT_EQ(same.kind, Verdict::Kind::Declined);
  EXPECT_EQ(same.reason, "not faster on any shape");
}

TEST(JudgeMeasurement, LeavesOpenWhatMayBeSlower) {
  Measurement wide = measurement({0.9, 1.0});
  wide.shapes[1].comparison = TimeComparison::Ambiguous;
  wide.shapes[1].ratioHigh = 1.03;
  EXPECT_EQ(judgeMeasurement(wide).kind, Verdict::Kind::Undecided);
  // Open towards the good side is no reason to decline.
  wide.shapes[1].ratioLow = 0.97;
  wide.shapes[1].ratioHigh = 1.005;
  EXPECT_EQ(judgeMeasurement(wide).kind, Verdict::Kind::Accepted);
}

TEST(JudgeMeasurement, HandsOnWhatTheDeviceSaid) {
  Measurement wrong = measurement({0.5});
  wrong.verdict = {Verdict::Kind::Declined, "device", "wrong-result"};
  EXPECT_EQ(judgeMeasurement(wrong).reason, "wrong-result");
  Measurement untimed = measurement({0.5});
  untimed.shapes[0].timed = false;
  EXPECT_EQ(judgeMeasurement(untimed).kind, Verdict::Kind::Undecided);
}

TEST(ChooseByMeasurement, AsksForEveryProposalFirst) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1, 2}};
  MeasuredChoice choice = chooseByMeasurement(measured);
  EXPECT_THAT(choice.needed, ElementsAre(UnitSet{0}, UnitSet{1, 2}));
  EXPECT_THAT(choice.set, IsEmpty());
  EXPECT_EQ(choice.reason, "nothing was measured");
}

TEST(ChooseByMeasurement, KeepsTheOriginalWhereNothingIsFaster) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &) { return measurement({1.0, 1.0}); });
  EXPECT_THAT(choice.set, IsEmpty());
  EXPECT_EQ(choice.reason, "no candidate is faster by measurement");
}

TEST(ChooseByMeasurement, CombinesWhatGainsMoreTogether) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &set) {
    return measurement({(has(set, 0) ? 0.9 : 1) * (has(set, 1) ? 0.8 : 1)});
  });
  EXPECT_THAT(choice.set, ElementsAre(0, 1));
}

TEST(ChooseByMeasurement, NeverCombinesAlternatives) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}};
  measured.conflicts = {{0, 1}};
  MeasuredChoice choice =
      settle(measured, [](const UnitSet &set) { return measurement({has(set, 0) ? 0.9 : 0.8}); });
  EXPECT_THAT(choice.set, ElementsAre(1));
  EXPECT_FALSE(measured.measured.contains({0, 1}));
}

TEST(ChooseByMeasurement, PrefersTheEarlierOfEquals) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}, {2}};
  measured.conflicts = {{0, 1}, {0, 2}, {1, 2}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &set) {
    return measurement({has(set, 0) ? 0.95 : has(set, 1) ? 0.802 : 0.8, 0.9});
  });
  EXPECT_THAT(choice.set, ElementsAre(1));
}

TEST(ChooseByMeasurement, LeavesOutWhatAddsNothing) {
  MeasuredCase measured;
  measured.candidates = {{0, 1, 2, 3}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &set) {
    return measurement({has(set, 2) ? 0.7 : 1.0, has(set, 2) ? 0.8 : 1.0});
  });
  EXPECT_THAT(choice.set, ElementsAre(2));
}

TEST(ChooseByMeasurement, KeepsUnitsThatNeedEachOther) {
  MeasuredCase measured;
  measured.candidates = {{0, 1, 2}};
  MeasuredChoice choice = settle(
      measured, [](const UnitSet &set) { return measurement({has(set, 0) && has(set, 1) ? 0.7 : 1.0}); });
  EXPECT_THAT(choice.set, ElementsAre(0, 1));
}

TEST(ChooseByMeasurement, FindsTheUnitThatLoses) {
  MeasuredCase measured;
  measured.candidates = {{0, 1}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &set) {
    return measurement({has(set, 0) ? 0.8 : 1.0, has(set, 1) ? 1.2 : 1.0});
  });
  EXPECT_THAT(choice.set, ElementsAre(0));
  EXPECT_THAT(choice.conditional, IsEmpty());
}

TEST(ChooseByMeasurement, OffersUnderAConditionWhatNoAblationMends) {
  MeasuredCase measured;
  measured.candidates = {{0}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &) { return measurement({0.8, 1.2, 1.0}); });
  EXPECT_THAT(choice.set, IsEmpty());
  ASSERT_EQ(choice.conditional.size(), 1u);
  EXPECT_THAT(choice.conditional[0].faster, ElementsAre("n = 0"));
  EXPECT_THAT(choice.conditional[0].slower, ElementsAre("n = 1"));
  EXPECT_THAT(choice.reason, HasSubstr("what is faster on some shapes is slower on others"));
}

TEST(ChooseByMeasurement, OffersNoConditionThatTheChoiceBeats) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}};
  measured.conflicts = {{0, 1}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &set) {
    return has(set, 0) ? measurement({0.8, 1.2}) : measurement({0.75, 1.0});
  });
  EXPECT_THAT(choice.set, ElementsAre(1));
  EXPECT_THAT(choice.conditional, IsEmpty());
}

TEST(ChooseByMeasurement, TakesNothingThatIsWrong) {
  MeasuredCase measured;
  measured.candidates = {{0}, {1}};
  MeasuredChoice choice = settle(measured, [](const UnitSet &set) {
    Measurement result = measurement({0.5});
    if (has(set, 0))
      result.verdict = {Verdict::Kind::Declined, "device", "wrong-result"};
    return result;
  });
  EXPECT_THAT(choice.set, ElementsAre(1));
}

TEST(SetsToCarry, HoldsWhatTheChoiceMayAskFor) {
  MeasuredCase measured;
  measured.candidates = {{0, 1}, {2}, {3}};
  measured.conflicts = {{2, 3}};
  EXPECT_THAT(setsToCarry(measured), ElementsAre(UnitSet{0, 1}, UnitSet{2}, UnitSet{3}, UnitSet{1},
                                                 UnitSet{0}, UnitSet{0, 1, 2}, UnitSet{1, 2}, UnitSet{0, 2}));
}

} // namespace
