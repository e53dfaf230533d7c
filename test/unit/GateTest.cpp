#include "GateFixture.h"

using namespace warpwright;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

GateState onlyState(const GateReport &report) {
  EXPECT_EQ(report.findings.size(), 1u);
  return report.findings.empty() ? GateState::New : report.findings.front().state;
}

TEST(Gate, WithoutABaselineEverythingIsNew) {
  GateProject project;
  CheckedKernel kernel = project.kernel("a.cu", "k", 10, {project.finding("bank-conflict", "a.cu", 12)});
  GateReport report = project.check({project.file("a.cu", {kernel})});
  EXPECT_EQ(onlyState(report), GateState::New);
  EXPECT_TRUE(report.fails());
  EXPECT_FALSE(report.hasBaseline);
}

TEST(Gate, IsQuietOnWhatWasThere) {
  GateProject project;
  CheckedKernel kernel = project.kernel("a.cu", "k", 10, {project.finding("bank-conflict", "a.cu", 12)});
  std::vector<CheckedFile> files = {project.file("a.cu", {kernel})};
  GateReport report = project.compare(files, files);
  EXPECT_EQ(onlyState(report), GateState::Known);
  EXPECT_FALSE(report.fails());
  EXPECT_THAT(report.changes, IsEmpty());
}

TEST(Gate, KnowsFindingsThatMoved) {
  GateProject project;
  project.lines["/project/a.cu"] = {"", "", "x = tile[i];", "", "", "x  =  tile[i]; // as before"};
  CheckedKernel before = project.kernel("a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 3)});
  CheckedKernel after = project.kernel("a.cu", "k", 4, {project.finding("bank-conflict", "a.cu", 6)});
  EXPECT_EQ(onlyState(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})})),
            GateState::Known);
}

TEST(Gate, TellsTwinsOnAlikeLinesApart) {
  GateProject project;
  project.lines["/project/a.cu"] = {"", "x = tile[i];", "x = tile[i];"};
  CheckedKernel one = project.kernel("a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 2)});
  CheckedKernel two = project.kernel(
      "a.cu", "k", 1,
      {project.finding("bank-conflict", "a.cu", 2), project.finding("bank-conflict", "a.cu", 3)});
  GateReport report = project.compare({project.file("a.cu", {one})}, {project.file("a.cu", {two})});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].state, GateState::Known);
  EXPECT_EQ(report.findings[1].state, GateState::New);
  // And another array on a line that was there.
  CheckedKernel other = project.kernel(
      "a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 2, "load of 'other' is slow")});
  EXPECT_EQ(onlyState(project.compare({project.file("a.cu", {one})}, {project.file("a.cu", {other})})),
            GateState::New);
}

TEST(Gate, NumbersMayChangeInAKnownFinding) {
  GateProject project;
  CheckedKernel before = project.kernel(
      "a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 2, "'t' takes 32 wavefronts")});
  CheckedKernel after = project.kernel(
      "a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 2, "'t' takes 16 wavefronts")});
  EXPECT_EQ(onlyState(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})})),
            GateState::Known);
}

TEST(Gate, WeighsBySeverity) {
  GateProject project;
  CheckedKernel kernel =
      project.kernel("a.cu", "k", 1, {project.finding("low-ilp", "a.cu", 2, "m", /*confidence=*/0.3)});
  std::vector<CheckedFile> files = {project.file("a.cu", {kernel})};
  GateReport report = project.check(files);
  EXPECT_EQ(report.findings[0].severity, Severity::Note);
  EXPECT_FALSE(report.fails());
  project.policy.severities["low-ilp"] = Severity::Error;
  EXPECT_TRUE(project.check(files).fails());
  project.policy.severities["low-ilp"] = Severity::Off;
  EXPECT_THAT(project.check(files).findings, IsEmpty());
  project.policy.severities["low-ilp"] = Severity::Warning;
  project.policy.failOn = Severity::Error;
  EXPECT_FALSE(project.check(files).fails());
}

TEST(Gate, FailsOnNewSpillsAndLetsRegistersGrow) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1), after = before;
  after.metrics[Metric::Registers] = 64;
  GateReport report = project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})});
  EXPECT_FALSE(report.fails());
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].state, GateState::Known);
  project.policy.allowedChange[Metric::Registers] = 8;
  EXPECT_TRUE(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).fails());
  after.metrics[Metric::Registers] = 40;
  EXPECT_FALSE(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).fails());
  after.metrics[Metric::SpillBytes] = 4;
  report = project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})});
  EXPECT_TRUE(report.fails());
  // What got better fails nothing.
  EXPECT_FALSE(project.compare({project.file("a.cu", {after})}, {project.file("a.cu", {before})}).fails());
}

TEST(Gate, LimitsGateOnDifferences) {
  GateProject project;
  project.policy.limits.push_back({"k*", "*", {}});
  project.policy.limits[0].limits[Metric::Registers] = 24;
  CheckedKernel before = project.kernel("a.cu", "k", 1), after = before;
  std::vector<CheckedFile> old = {project.file("a.cu", {before})};
  EXPECT_TRUE(project.check(old).fails()) << "a new kernel over its limit";
  EXPECT_FALSE(project.compare(old, old).fails()) << "over its limit as before";
  after.metrics[Metric::Registers] = 33;
  GateReport report = project.compare(old, {project.file("a.cu", {after})});
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_TRUE(report.changes[0].fails);
  EXPECT_EQ(report.changes[0].limit, 24);
  project.policy.limits[0].kernels = "other";
  EXPECT_FALSE(project.check(old).fails());
}

TEST(Gate, LastLimitThatSpeaksHolds) {
  GatePolicy policy;
  policy.limits.push_back({"*", "*", {}});
  policy.limits.push_back({"gemm<*", "src/*.cu", {}});
  policy.limits[0].limits[Metric::Registers] = 64;
  policy.limits[0].limits[Metric::StackBytes] = 0;
  policy.limits[1].limits[Metric::Registers] = 128;
  EXPECT_EQ(policy.limitsOf("gemm<float>", "src/a.cu")[Metric::Registers], 128);
  EXPECT_EQ(policy.limitsOf("gemm<float>", "src/a.cu")[Metric::StackBytes], 0);
  EXPECT_EQ(policy.limitsOf("gemm<float>", "lib/a.cu")[Metric::Registers], 64);
}

TEST(Gate, ComparesNoNumbersOfDifferentLaunches) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1), after = before;
  after.metrics[Metric::ConflictDegree] = 8;
  EXPECT_TRUE(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).fails());
  after.launch = "n = 64";
  EXPECT_FALSE(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).fails());
}

TEST(Gate, AnotherToolkitDriftsAndFailsNothing) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1);
  CheckedKernel after = project.kernel("a.cu", "k", 1, {project.finding("register-spill", "a.cu", 1)});
  before.toolkit = "12.9.41";
  after.metrics[Metric::SpillBytes] = 16;
  GateReport report = project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})});
  EXPECT_FALSE(report.fails());
  EXPECT_EQ(onlyState(report), GateState::Drift);
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].state, GateState::Drift);
  EXPECT_THAT(report.driftedFrom, ElementsAre("12.9.41"));
  // A baseline that has both compares with its own.
  Baseline both = mergeBaselines(
      baselineOf({project.file("a.cu", {before})}, project.relative),
      baselineOf({project.file("a.cu", {project.kernel("a.cu", "k", 1)})}, project.relative), {});
  GateRequest request = project.request({project.file("a.cu", {after})});
  request.baseline = both;
  EXPECT_TRUE(judge(request).fails());
}

TEST(Gate, ANewArchitectureBringsNoOldFindings) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 2)});
  CheckedKernel after = before;
  after.architecture = "sm_100";
  EXPECT_EQ(onlyState(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})})),
            GateState::Known);
}

TEST(Gate, FollowsKernelsThatMoveOrAreRenamed) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1, {project.finding("bank-conflict", "a.cu", 2)});
  CheckedKernel moved = project.kernel("b.cu", "k", 1, {project.finding("bank-conflict", "b.cu", 2)});
  GateReport report = project.compare({project.file("a.cu", {before})},
                                      {project.file("a.cu", {}), project.file("b.cu", {moved})});
  EXPECT_EQ(onlyState(report), GateState::Known);
  EXPECT_EQ(report.kernels[0].origin, GateKernel::Origin::Moved);
  EXPECT_THAT(report.gone, IsEmpty());

  CheckedKernel renamed =
      project.kernel("a.cu", "better_name", 1, {project.finding("bank-conflict", "a.cu", 2)});
  renamed.body = before.body;
  report = project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {renamed})});
  EXPECT_EQ(onlyState(report), GateState::Known);
  EXPECT_EQ(report.kernels[0].origin, GateKernel::Origin::Renamed);
  EXPECT_EQ(report.kernels[0].formerly, "a.cu: k(float *)");

  // A copy beside the original is new.
  report = project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {before, renamed})});
  EXPECT_EQ(report.count(GateState::New), 1u);
}

TEST(Gate, SaysWhatIsGone) {
  GateProject project;
  CheckedFile before = project.file("a.cu", {project.kernel("a.cu", "k", 1)});
  GateReport report = project.compare({before}, {project.file("a.cu", {})});
  EXPECT_THAT(report.gone, ElementsAre(testing::Pair("a.cu", "a.cu:k(float *)")));
  EXPECT_FALSE(report.fails());
  // Not where its file could not be checked.
  CheckedFile broken = project.file("a.cu", {});
  broken.problems.push_back({CheckProblem::Kind::NotChecked, {"/project/a.cu", 1, 1}, "does not parse"});
  report = project.compare({before}, {broken});
  EXPECT_THAT(report.gone, IsEmpty());
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].place.file, "a.cu");
}

TEST(Gate, ANumberThatIsNoMoreIsNotClean) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1), after = before;
  after.metrics[Metric::Registers].reset();
  after.resourcesNote = "resources are unknown until linked";
  GateReport report = project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})});
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_THAT(report.problems[0].message, HasSubstr("could not be checked against the baseline"));
  // Where nobody ever knew it, nothing changed.
  EXPECT_THAT(project.compare({project.file("a.cu", {after})}, {project.file("a.cu", {after})}).problems,
              IsEmpty());
}

TEST(Gate, KnowsFindingsOfHostFunctions) {
  GateProject project;
  project.policy.limits.emplace_back().limits[Metric::Registers] = 16;
  auto host = [&](const std::string &file, unsigned line) {
    CheckedKernel entry = project.kernel(
        file, "main", line, {project.finding("unchecked-launch", file, line + 1, "launch of 'k'")});
    entry.architecture = CheckedKernel::host;
    entry.toolkit.clear();
    entry.metrics = MetricValues();
    return entry;
  };
  GateReport report = project.compare({project.file("a.cu", {})}, {project.file("a.cu", {host("a.cu", 3)})});
  EXPECT_EQ(onlyState(report), GateState::New);
  EXPECT_TRUE(report.fails());
  EXPECT_THAT(report.problems, IsEmpty()); // it has no registers to be over a limit
  EXPECT_THAT(report.kernels, IsEmpty());
  EXPECT_THAT(report.toolkits, IsEmpty());
  // Lines move, or the function does; where its last finding goes, it is no kernel that is gone.
  EXPECT_FALSE(
      project.compare({project.file("a.cu", {host("a.cu", 3)})}, {project.file("a.cu", {host("a.cu", 9)})})
          .fails());
  report = project.compare({project.file("a.cu", {host("a.cu", 3)})}, {project.file("a.cu", {})});
  EXPECT_THAT(report.gone, IsEmpty());
}

TEST(Gate, ComparesMeasuredTimesWhereALockHolds) {
  GateProject project;
  CheckedKernel before = project.kernel("a.cu", "k", 1), after = before;
  before.metrics[Metric::MeasuredMicroseconds] = 100;
  after.metrics[Metric::MeasuredMicroseconds] = 102;
  EXPECT_FALSE(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).fails());
  after.metrics[Metric::MeasuredMicroseconds] = 110;
  EXPECT_TRUE(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).fails());
  // The lock is stale: the time is of other code.
  after.metrics[Metric::MeasuredMicroseconds].reset();
  EXPECT_THAT(project.compare({project.file("a.cu", {before})}, {project.file("a.cu", {after})}).problems,
              IsEmpty());
}

TEST(Gate, SaysOnceWhatInstantiationsShare) {
  GateProject project;
  CheckedKernel one = project.kernel("a.cu", "k<1>", 1, {project.finding("bank-conflict", "a.cu", 2)});
  CheckedKernel two = project.kernel("a.cu", "k<2>", 1, {project.finding("bank-conflict", "a.cu", 2)});
  GateReport report = project.check({project.file("a.cu", {one, two})});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.findings[0].kernels, ElementsAre("k<1>", "k<2>"));
}

TEST(Gate, TakesTheWorstOfSeveralCompiles) {
  GateProject project;
  CheckedKernel one = project.kernel("a.h", "k", 1), two = one;
  two.metrics[Metric::SpillBytes] = 8;
  std::vector<CheckedFile> both = {project.file("x.cu", {one}), project.file("y.cu", {two})};
  EXPECT_EQ(baselineOf(both, project.relative).kernels[0].targets[0].metrics[Metric::SpillBytes], 8);
  // A check of one of them is no worse than the baseline of all.
  EXPECT_FALSE(project.compare(both, {both[1]}).fails());
  EXPECT_FALSE(project.compare(both, {both[0]}).fails());
}

class GateExceptions : public testing::Test {
protected:
  void accept(unsigned line, const std::string &expires = "",
              std::vector<std::string> rules = {"bank-conflict"}) {
    file_.accepts.push_back({{"/project/a.cu", line, 20}, line, std::move(rules), "we know", expires});
  }
  GateProject project_;
  CheckedFile file_ = project_.file(
      "a.cu", {project_.kernel("a.cu", "k", 10, {project_.finding("bank-conflict", "a.cu", 12)})});
};

TEST_F(GateExceptions, CommentAcceptsBesideTheLine) {
  accept(12);
  GateReport report = project_.check({file_});
  EXPECT_EQ(onlyState(report), GateState::Accepted);
  EXPECT_EQ(report.findings[0].acceptedBecause, "we know");
  EXPECT_TRUE(report.findings[0].acceptedInSource);
  EXPECT_FALSE(report.fails());
  EXPECT_THAT(report.unused, IsEmpty());
}

TEST_F(GateExceptions, CommentElsewhereOrOfAnotherRuleIsUnused) {
  accept(13);
  accept(12, "", {"low-ilp"});
  GateReport report = project_.check({file_});
  EXPECT_TRUE(report.fails());
  ASSERT_EQ(report.unused.size(), 2u);
  EXPECT_THAT(report.unused[0].message, HasSubstr("unused"));
}

TEST_F(GateExceptions, CommentIsOverAfterItsDay) {
  accept(12, "2026-11-29");
  EXPECT_FALSE(project_.check({file_}).fails()) << "on the last day";
  file_.accepts[0].expires = "2026-11-28";
  GateReport report = project_.check({file_});
  EXPECT_TRUE(report.fails());
  ASSERT_EQ(report.unused.size(), 1u);
  EXPECT_THAT(report.unused[0].message, HasSubstr("until 2026-11-28"));
}

TEST_F(GateExceptions, CommentAboveAKernelSpeaksOfTheWholeOfIt) {
  file_.kernels[0].findings[0].finding.place = file_.kernels[0].place;
  accept(9);
  EXPECT_EQ(onlyState(project_.check({file_})), GateState::Accepted);
  project_.policy.limits.push_back({"*", "*", {}});
  project_.policy.limits[0].limits[Metric::Registers] = 8;
  EXPECT_TRUE(project_.check({file_}).fails());
  accept(9, "", {"limit-registers"});
  EXPECT_FALSE(project_.check({file_}).fails());
}

TEST_F(GateExceptions, PolicyNamesKernelsAndFiles) {
  project_.policy.exceptions.push_back({"bank-conflict", "k*", "*.cu", "known", ""});
  GateReport report = project_.check({file_});
  EXPECT_EQ(onlyState(report), GateState::Accepted);
  EXPECT_FALSE(report.findings[0].acceptedInSource);
  project_.policy.exceptions[0].kernels = "other*";
  report = project_.check({file_});
  EXPECT_TRUE(report.fails());
  ASSERT_EQ(report.unused.size(), 1u);
  EXPECT_EQ(report.unused[0].place.file, "warpwright.json");
  // A check of some files cannot say so.
  GateRequest part = project_.request({file_});
  part.whole = false;
  EXPECT_THAT(judge(part).unused, IsEmpty());
}

} // namespace
