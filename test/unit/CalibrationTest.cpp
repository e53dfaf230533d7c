#include "analysis/KernelAnalysis.h"
#include "feedback/Calibrate.h"
#include "feedback/RankComparisons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace warpwright;
using testing::HasSubstr;

namespace {

/// A kernel with global loads on line 5, counted for the shape "n = 4".
KernelAnalysis analysis(uint64_t sectors, uint64_t requests,
                        simt::CountGrade grade = simt::CountGrade::Exact) {
  KernelAnalysis kernel;
  kernel.architecture = "sm_90";
  LaunchEvaluation launch;
  launch.label = "n = 4";
  simt::AccessCounters access;
  access.place = {"k.cu", 5, 1};
  access.kind = simt::AccessKind::Load;
  access.space = simt::AccessSpace::Global;
  access.tally.sectors = sectors;
  access.tally.requests = requests;
  access.tally.idealSectors = sectors / 2;
  launch.counters.accesses.push_back(access);
  launch.counters.grade = grade;
  launch.counters.reason = grade == simt::CountGrade::Exact ? "" : "the trip count is supposed";
  kernel.launches.push_back(std::move(launch));
  return kernel;
}

KernelRecord record(std::map<std::string, double> counters) {
  KernelRecord record;
  record.key = "k.cu:k(int)";
  ReadProfileRecord taken;
  taken.profile.code = "original";
  taken.profile.shape = "n = 4";
  taken.profile.device = "NVIDIA H200";
  taken.profile.architecture = "sm_90";
  taken.profile.counters.collected = true;
  taken.profile.launches.resize(1);
  taken.profile.launches[0].counters = std::move(counters);
  record.profiles.push_back(std::move(taken));
  return record;
}

CountComparison compared(const KernelRecord &record, const KernelAnalysis &kernel) {
  KernelCalibration calibration = calibrate(record, kernel, {});
  EXPECT_EQ(calibration.counts.size(), 1u);
  return calibration.counts.empty() ? CountComparison() : calibration.counts.front();
}

Prediction prediction(uint64_t sectors) {
  Prediction result;
  result.architecture = "sm_90";
  ShapePrediction shape;
  shape.shape = "n = 4";
  shape.globalSectors = sectors;
  shape.grade = "exact";
  result.shapes.push_back(shape);
  return result;
}

void addCandidate(KernelRecord &record, const char *name, uint64_t sectors, double ratio) {
  CandidateRecord candidate;
  candidate.candidate.rewriter = name;
  candidate.predictions.push_back(prediction(sectors));
  Measurement measurement;
  measurement.candidate = candidate.candidate.name();
  measurement.verdict.kind = Verdict::Kind::Accepted;
  ShapeMeasurement shape;
  shape.shape = "n = 4";
  shape.timed = true;
  shape.original.median = 10;
  shape.ratio = ratio;
  measurement.shapes.push_back(shape);
  record.candidates.push_back(std::move(candidate));
  record.measurements.push_back(std::move(measurement));
}

} // namespace

TEST(CalibrationTest, EqualCountsNeedNoReason) {
  CountComparison count =
      compared(record({{"global_load_sectors", 800.0}, {"global_load_requests", 100.0}}), analysis(800, 100));
  EXPECT_TRUE(count.isEqual());
  EXPECT_EQ(count.quantity, "global load sectors");
  EXPECT_EQ(count.accesses, "5");
}

TEST(CalibrationTest, AccessesThatNvccJoinedExplainADifference) {
  CountComparison count =
      compared(record({{"global_load_sectors", 400.0}, {"global_load_requests", 25.0}}), analysis(800, 100));
  EXPECT_FALSE(count.isEqual());
  EXPECT_THAT(count.explanation, HasSubstr("nvcc made 25"));
}

TEST(CalibrationTest, AssumptionsExplainADifference) {
  CountComparison count = compared(record({{"global_load_sectors", 400.0}, {"global_load_requests", 100.0}}),
                                   analysis(800, 100, simt::CountGrade::Assumed));
  EXPECT_THAT(count.explanation, HasSubstr("the trip count is supposed"));
}

TEST(CalibrationTest, WhatNothingExplainsStaysOpen) {
  CountComparison count =
      compared(record({{"global_load_sectors", 400.0}, {"global_load_requests", 100.0}}), analysis(800, 100));
  EXPECT_FALSE(count.isExplained());
}

TEST(CalibrationTest, ARuleIsDrawnTowardsHowOftenItHeld) {
  KernelRecord refuted = record({{"shared_conflicts", 0.0}});
  Finding finding;
  finding.id = "bank-conflict";
  finding.place = {"k.cu", 7, 1};
  finding.confidence = 0.9;
  refuted.findings.push_back(finding);
  Calibration calibration;
  EXPECT_DOUBLE_EQ(calibration.confidence("bank-conflict", "sm_90", 0.9), 0.9);
  calibration.update(calibrate(refuted, analysis(0, 0), {}));
  EXPECT_EQ(calibration.recordOf("bank-conflict", "sm_90").refuted, 1u);
  EXPECT_DOUBLE_EQ(calibration.confidence("bank-conflict", "sm_90", 0.9), 4 * 0.9 / 5);
  EXPECT_DOUBLE_EQ(calibration.confidence("bank-conflict", "sm_80", 0.9), 0.9) << "another architecture";
  calibration.apply(refuted.findings, "sm_90");
  EXPECT_DOUBLE_EQ(refuted.findings.front().confidence, 4 * 0.9 / 5);
  refuted.profiles.front().profile.launches.front().counters["shared_conflicts"] = 12;
  calibration.update(calibrate(refuted, analysis(0, 0), {})); // in the place of what was known
  EXPECT_EQ(calibration.recordOf("bank-conflict", "sm_90").refuted, 0u);
  EXPECT_GT(calibration.confidence("bank-conflict", "sm_90", 0.9), 0.9);
}

TEST(CalibrationTest, RanksByTheModelAreHeldAgainstTimes) {
  KernelRecord ranked = record({});
  ranked.profiles.clear();
  ranked.before.push_back(prediction(1000));
  addCandidate(ranked, "good", 100, 0.5);
  addCandidate(ranked, "better-than-it-looks", 900, 0.4);
  addCandidate(ranked, "bad", 5000, 2);
  KernelCalibration calibration = calibrate(ranked, analysis(0, 0), {});
  ASSERT_EQ(calibration.ranks.size(), 1u);
  EXPECT_EQ(calibration.ranks[0].what, "model");
  EXPECT_EQ(calibration.ranks[0].candidates, 4u);
  EXPECT_DOUBLE_EQ(calibration.ranks[0].chosenOverBest, 0.5 / 0.4);
  EXPECT_DOUBLE_EQ(calibration.ranks[0].correlation, 0.8);
}

TEST(CalibrationTest, ShapesAreTheSameInWhateverOrder) {
  EXPECT_TRUE(isSameShape("m = 4, n = 8", "n = 8, m = 4"));
  EXPECT_FALSE(isSameShape("m = 4, n = 8", "m = 8, n = 4"));
}

TEST(CalibrationTest, RankCorrelationSharesTies) {
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3}, {30, 20, 10}), -1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 1, 1}, {1, 2, 3}), 0);
}

TEST(CalibrationTest, ReadsWhatItWrites) {
  Calibration calibration;
  KernelRecord ranked = record({{"global_load_sectors", 400.0}, {"global_load_requests", 25.0}});
  calibration.update(calibrate(ranked, analysis(800, 100), {}));
  llvm::Expected<Calibration> read = Calibration::read(calibration.toJson());
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->toJson(), calibration.toJson());
  nlohmann::ordered_json damaged = calibration.toJson();
  damaged["kernels"][0]["counts"][0]["measured"] = "many";
  llvm::Expected<Calibration> refused = Calibration::read(damaged);
  ASSERT_FALSE(bool(refused));
  EXPECT_THAT(llvm::toString(refused.takeError()), HasSubstr("kernels[0].counts[0].measured"));
  EXPECT_EQ(Calibration::pathFor("build/kernels.lock"), "build/kernels.calibration.json");
}
