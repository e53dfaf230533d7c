#include "GateFixture.h"

#include "feedback/gate/GateOutput.h"

#include <nlohmann/json.hpp>

using namespace warpwright;
using testing::HasSubstr;
using testing::Not;

namespace {

using Json = nlohmann::ordered_json;

GateContext context() {
  GateContext context;
  context.version = "1.2.3";
  context.root = "/project";
  context.display = [](const std::string &path) { return GateProject::relative(path); };
  context.pageOf = [](llvm::StringRef id) {
    return id == "bank-conflict" ? llvm::StringRef("# bank-conflict\nWhy.") : llvm::StringRef();
  };
  return context;
}

/// One kernel with a known finding and a new one that has a fix; it takes more spills than before.
GateReport sample() {
  GateProject project;
  project.lines["/project/a b.cu"] = {"", "old line;", "new line;"};
  CheckedFinding old = project.finding("low-ilp", "a b.cu", 2);
  CheckedFinding fresh = project.finding("bank-conflict", "a b.cu", 3, "store to 't' <slow> & \"bad\"");
  Edit edit;
  edit.file = "/project/a b.cu";
  edit.offset = 0;
  edit.length = 0;
  edit.text = "+ 1";
  fresh.fixes.push_back({"pad-shared-array pad=1", {edit}});
  CheckedKernel before = project.kernel("a b.cu", "k<int>", 1, {old});
  CheckedKernel after = project.kernel("a b.cu", "k<int>", 1, {old, fresh});
  after.metrics[Metric::SpillBytes] = 12;
  return project.compare({project.file("a b.cu", {before})}, {project.file("a b.cu", {after})});
}

std::string text(const GateReport &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printGateText(report, context(), stream);
  return text;
}

TEST(GateText, TellsWhatIsNewAndTheSums) {
  std::string all = text(sample());
  EXPECT_THAT(all,
              HasSubstr("a b.cu:3:3: warning: store to 't' <slow> & \"bad\" [warpwright-bank-conflict]\n"));
  EXPECT_THAT(all,
              HasSubstr("a b.cu:1:17: error: 'k<int>' on sm_90: 12 bytes spilled and read back, a thread, 0 "
                        "before [warpwright-limit-spill-bytes]\n"));
  EXPECT_THAT(all, Not(HasSubstr("low-ilp")));
  EXPECT_THAT(
      all, HasSubstr("1 kernel of 1 file checked against 'warpwright.baseline.json': 1 new finding, 1 number "
                     "worse than allowed, 1 known\n"));
}

TEST(GateJson, TellsEverything) {
  Json document = gateToJson(sample());
  EXPECT_EQ(document["result"], "findings");
  EXPECT_EQ(document["findings"].size(), 2u);
  EXPECT_EQ(document["findings"][0]["state"], "known");
  EXPECT_EQ(document["changes"][0]["metric"], "spill_bytes");
  EXPECT_EQ(document["changes"][0]["before"], 0);
}

TEST(GateSarif, HasRulesFingerprintsAndFixes) {
  Json run = gateToSarif(sample(), context())["runs"][0];
  const Json &results = run["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["baselineState"], "unchanged");
  const Json &fresh = results[1];
  EXPECT_EQ(fresh["baselineState"], "new");
  EXPECT_EQ(fresh["partialFingerprints"]["warpwright/v1"].get<std::string>().size(), 16u);
  EXPECT_EQ(fresh["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.cu");
  EXPECT_EQ(fresh["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], "+ 1");
  const Json &rule = run["tool"]["driver"]["rules"][fresh["ruleIndex"].get<size_t>()];
  EXPECT_EQ(rule["id"], "bank-conflict");
  EXPECT_EQ(rule["help"]["markdown"], "# bank-conflict\nWhy.");
  EXPECT_FALSE(rule.contains("helpUri"));
  EXPECT_EQ(results[2]["ruleId"], "limit-spill-bytes");
  EXPECT_EQ(results[2]["partialFingerprints"]["warpwright/v1"].get<std::string>().size(), 16u);
}

TEST(GateSarif, RulesLinkToWhereDocsArePublished) {
  GateContext published = context();
  published.docsUrl = "https://docs.example.org/warpwright";
  const Json run = gateToSarif(sample(), published)["runs"][0];
  for (const Json &rule : run["tool"]["driver"]["rules"])
    if (rule["id"] == "bank-conflict")
      EXPECT_EQ(rule["helpUri"], "https://docs.example.org/warpwright/findings/bank-conflict.md");
}

TEST(GateSarif, WhatCouldNotBeCheckedIsNoSuccess) {
  GateReport report = sample();
  EXPECT_EQ(gateToSarif(report, context())["runs"][0]["invocations"][0]["executionSuccessful"], true);
  report.problems.push_back({CheckProblem::Kind::NotChecked, {"b.cu", 0, 0}, "does not parse"});
  Json invocation = gateToSarif(report, context())["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], "does not parse");
  EXPECT_EQ(gateToJson(report)["result"], "not checked");
}

TEST(GateJunit, IsWellFormedAndCounts) {
  GateReport report = sample();
  report.problems.push_back({CheckProblem::Kind::NotChecked, {"b.cu", 0, 0}, "does not parse"});
  std::string xml;
  llvm::raw_string_ostream stream(xml);
  printGateJunit(report, stream);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"a b.cu\" tests=\"1\" failures=\"1\" errors=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("name=\"k&lt;int&gt; on sm_90\""));
  EXPECT_THAT(xml, HasSubstr("store to 't' &lt;slow&gt; &amp; &quot;bad&quot; [warpwright-bank-conflict]"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"not-checked\" message=\"does not parse\">"));
}

TEST(GateMarkdown, ShowsBeforeAndAfter) {
  std::string markdown;
  llvm::raw_string_ostream stream(markdown);
  printGateMarkdown(sample(), stream);
  EXPECT_THAT(markdown, HasSubstr("## Warpwright: this change makes kernels worse"));
  EXPECT_THAT(markdown, HasSubstr("| `k<int>` | sm_90 |"));
  EXPECT_THAT(markdown, HasSubstr("0 → **12** (worse)"));
  EXPECT_THAT(markdown, HasSubstr("**bank-conflict** (warning): store to 't' \\<slow\\> & \"bad\""));
}

} // namespace
