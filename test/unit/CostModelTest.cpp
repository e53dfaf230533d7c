#include "feedback/CostModel.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace warpwright;
using Json = nlohmann::ordered_json;

namespace {

Json device() {
  return Json::parse(R"({"schema": "warpwright/device/1", "device": "NVIDIA H200", "architecture": "sm_90",
    "multiprocessors": 100, "clock_khz": 2000000,
    "measured": {"clock_hertz": 1e9, "bandwidth_bytes_per_second": {"l2_read": 3.2e12},
                 "latency_cycles": {"l2": 300}, "operations_per_second": {"fp64": 1.28e13}, "notes": []}})");
}

ShapePrediction shape(uint64_t blocks, uint64_t sectors) {
  ShapePrediction shape;
  shape.blocks = blocks;
  shape.warps = blocks * 8;
  shape.globalSectors = sectors;
  shape.globalRequests = sectors / 4;
  shape.warpInstructions = sectors;
  return shape;
}

double cyclesOf(const ShapePrediction &shape) {
  Prediction prediction;
  prediction.shapes = {shape};
  const Architecture &architecture = *findArchitecture("sm_90");
  return estimatedCycles(architecture, prediction, 0, DeviceFigures::typicalOf(architecture));
}

} // namespace

TEST(DeviceFiguresTest, TakesWhatIsMeasuredAndSupposesTheRest) {
  llvm::Expected<DeviceFigures> figures = readDeviceFigures(device());
  ASSERT_TRUE(bool(figures)) << llvm::toString(figures.takeError());
  EXPECT_DOUBLE_EQ(figures->l2Bytes, 32);
  EXPECT_DOUBLE_EQ(figures->l2Latency, 300);
  EXPECT_DOUBLE_EQ(figures->fp64, 64);
  EXPECT_DOUBLE_EQ(figures->fp32, findArchitecture("sm_90")->fp32);
  EXPECT_GT(figures->dramLatency, figures->l2Latency);
}

TEST(DeviceFiguresTest, RefusesWhatItDoesNotKnow) {
  Json other = device();
  other["architecture"] = "sm_42";
  EXPECT_FALSE(bool(llvm::expectedToOptional(readDeviceFigures(other))));
  EXPECT_FALSE(bool(llvm::expectedToOptional(readDeviceFigures(Json::array()))));
}

TEST(CostModelTest, MoreWorkCostsMore) {
  EXPECT_LT(cyclesOf(shape(10000, 1 << 24)), cyclesOf(shape(10000, 1 << 25)));
}

TEST(CostModelTest, RatiosAreOfShapesThatWereCounted) {
  Prediction before, after;
  before.architecture = after.architecture = "sm_90";
  before.shapes = {shape(10000, 1 << 24), shape(1000, 1 << 10)};
  after.shapes = {shape(10000, 1 << 22), shape(10, 1 << 14)};
  const DeviceFigures figures = DeviceFigures::typicalOf(*findArchitecture("sm_90"));
  std::vector<double> ratios = estimatedRatios(before, after, figures);
  ASSERT_EQ(ratios.size(), 2u);
  EXPECT_LT(ratios[0], 0.5);
  EXPECT_GT(ratios[1], 1);
  // Where the original may stay on the second, that one counts for nothing.
  EXPECT_DOUBLE_EQ(meanOfRatios(ratios, /*keepsOriginal=*/true), std::sqrt(ratios[0]));
  EXPECT_DOUBLE_EQ(meanOfRatios(ratios, /*keepsOriginal=*/false), std::sqrt(ratios[0] * ratios[1]));
  after.shapes[0].grade = "unknown";
  EXPECT_TRUE(estimatedRatios(before, after, figures).empty());
  EXPECT_EQ(meanOfRatios({}, true), 0);
}

TEST(CostModelTest, TheSameWorkInTooFewBlocksCostsMore) {
  EXPECT_GT(cyclesOf(shape(10, 1 << 20)), 2 * cyclesOf(shape(1000, 1 << 20)));
}

TEST(CostModelTest, OfEqualsTheOneWithLessOfTheRestIsCheaper) {
  ShapePrediction lean = shape(10000, 1 << 24), fat = lean;
  fat.sharedWavefronts = 1 << 16;
  EXPECT_LT(cyclesOf(lean), cyclesOf(fat));
}
