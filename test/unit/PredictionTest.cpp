#include "feedback/Prediction.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

Prediction prediction(uint64_t sectors, unsigned registers, uint64_t machineInstructions) {
  Prediction result;
  ShapePrediction shape;
  shape.globalSectors = sectors;
  shape.grade = "exact";
  result.shapes.push_back(shape);
  result.hasResources = true;
  result.registers = registers;
  result.machineInstructions = machineInstructions;
  return result;
}

Verdict::Kind judge(const Prediction &before, const Prediction &after) {
  return judgeDominance(before, after).kind;
}

TEST(JudgeDominance, NeedsSomethingBetterAndNothingWorse) {
  EXPECT_EQ(judge(prediction(100, 32, 50), prediction(90, 32, 50)), Verdict::Kind::Accepted);
  EXPECT_EQ(judge(prediction(100, 32, 50), prediction(100, 32, 50)), Verdict::Kind::Declined);
  EXPECT_EQ(judge(prediction(100, 32, 50), prediction(90, 41, 50)), Verdict::Kind::Declined);
}

TEST(JudgeDominance, LongerCodeForFewerRegistersIsNoGain) {
  EXPECT_EQ(judge(prediction(100, 32, 50), prediction(100, 24, 50)), Verdict::Kind::Accepted);
  EXPECT_EQ(judge(prediction(100, 32, 50), prediction(100, 24, 60)), Verdict::Kind::Declined);
}

TEST(JudgeDominance, LongerCodeThatDoesLessIsCompared) {
  EXPECT_EQ(judge(prediction(100, 32, 50), prediction(90, 32, 60)), Verdict::Kind::Accepted);
}

TEST(JudgeDominance, UnknownResourcesAreUndecided) {
  Prediction unknown = prediction(90, 0, 0);
  unknown.hasResources = false;
  EXPECT_EQ(judge(prediction(100, 32, 50), unknown), Verdict::Kind::Undecided);
}

} // namespace
