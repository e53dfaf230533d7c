#include "GateFixture.h"

#include "feedback/Policy.h"
#include "feedback/gate/AcceptComments.h"

#include <llvm/Support/FileSystem.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace warpwright;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A file that goes with the test.
class Document {
public:
  explicit Document(const std::string &text) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("document", "json", path_));
    std::ofstream(path_.c_str()) << text;
  }
  ~Document() { llvm::sys::fs::remove(path_); }
  std::string path() const { return std::string(path_); }

private:
  llvm::SmallString<128> path_;
};

std::string policyError(const std::string &entries) {
  Document document("{\"schema\": \"warpwright/policy/1\", " + entries + "}");
  llvm::Expected<Policy> policy = readPolicy(document.path());
  return policy ? "none" : llvm::toString(policy.takeError());
}

std::string baselineError(const std::string &text) {
  Document document(text);
  llvm::Expected<Baseline> baseline = readBaseline(document.path());
  return baseline ? "none" : llvm::toString(baseline.takeError());
}

TEST(GatePolicyDocument, IsReadWhole) {
  Document document(R"({"schema": "warpwright/policy/1", "fail_on": "error", "min_confidence": 0.7,
    "severity": {"default": "note", "bank-conflict": "error"}, "allowed_change": {"registers": 4},
    "limits": [{"kernels": "k*", "files": "src/*", "spill_bytes": 0, "occupancy": 0.25}],
    "exceptions": [{"rule": "limit-registers", "kernels": "big", "reason": "measured", "expires": "2027-02-28"}]})");
  llvm::Expected<Policy> policy = readPolicy(document.path());
  ASSERT_TRUE(bool(policy)) << llvm::toString(policy.takeError());
  const GatePolicy &gate = policy->gate;
  EXPECT_EQ(gate.failOn, Severity::Error);
  EXPECT_EQ(gate.severityOf("bank-conflict", 0.1), Severity::Error);
  EXPECT_EQ(gate.severityOf("low-ilp", 0.9), Severity::Note);
  EXPECT_EQ(gate.allowedChange[Metric::Registers], 4);
  EXPECT_EQ(gate.limitsOf("k2", "src/a.cu")[Metric::Occupancy], 0.25);
  ASSERT_EQ(gate.exceptions.size(), 1u);
  EXPECT_EQ(gate.exceptions[0].expires, "2027-02-28");
}

TEST(GatePolicyDocument, MistakesAreNamed) {
  EXPECT_THAT(policyError(R"("limit": [])"), HasSubstr("\"limit\" is no entry of a policy"));
  EXPECT_THAT(policyError(R"("limits": [{"register": 3}])"),
              HasSubstr("\"register\", which is not measured"));
  EXPECT_THAT(policyError(R"("limits": [{"registers": "3"}])"), HasSubstr("no number"));
  EXPECT_THAT(policyError(R"("severity": {"bank-conflit": "note"})"), HasSubstr("no such finding"));
  EXPECT_THAT(policyError(R"("severity": {"bank-conflict": "loud"})"), HasSubstr("is \"loud\""));
  EXPECT_THAT(policyError(R"("fail_on": "off")"), HasSubstr("\"fail_on\" is \"off\""));
  EXPECT_THAT(policyError(R"("exceptions": [{"rule": "bank-conflict"}])"), HasSubstr("without a reason"));
  EXPECT_THAT(policyError(R"("exceptions": [{"rule": "x", "reason": "y"}])"),
              HasSubstr("\"x\", and there is none"));
  EXPECT_THAT(
      policyError(R"("exceptions": [{"rule": "bank-conflict", "reason": "y", "expires": "2027-02-29"}])"),
      HasSubstr("no date"));
  EXPECT_THAT(policyError(R"("min_confidence": 2)"), HasSubstr("from 0 to 1"));
}

TEST(Baseline, ReadsWhatItWrites) {
  GateProject project;
  CheckedKernel kernel = project.kernel("a.cu", "k", 10, {project.finding("bank-conflict", "a.cu", 12)});
  kernel.metrics[Metric::SectorsPerRequest] = 4.125;
  Baseline baseline = baselineOf({project.file("a.cu", {kernel})}, project.relative);
  Document document(printBaseline(baseline));
  llvm::Expected<Baseline> again = readBaseline(document.path());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(printBaseline(*again), printBaseline(baseline));
  GateRequest request = project.request({project.file("a.cu", {kernel})});
  request.baseline = *again;
  EXPECT_FALSE(judge(request).fails());
  EXPECT_THAT(judge(request).changes, IsEmpty());
}

TEST(Baseline, MistakesAreNamed) {
  EXPECT_THAT(baselineError("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(baselineError(R"({"schema": "warpwright/baseline/2", "kernels": []})"),
              HasSubstr("its schema is \"warpwright/baseline/2\""));
  EXPECT_THAT(baselineError(R"({"schema": "warpwright/baseline/1"})"),
              HasSubstr("lacks the array \"kernels\""));
  EXPECT_THAT(baselineError(R"({"schema": "warpwright/baseline/1", "kernels": [{"file": "a.cu"}]})"),
              HasSubstr("a kernel lacks the text \"key\""));
  EXPECT_THAT(
      baselineError(
          R"({"schema": "warpwright/baseline/1", "kernels": [{"file": "a", "key": "k", "body": "", "targets": [{"architecture": "sm_90", "toolkit": "13", "launch": "", "metrics": {"speed": 1}, "findings": []}]}]})"),
      HasSubstr("\"speed\", which is not measured"));
  EXPECT_THAT(baselineError(R"({"schema": "warpwright/baseline/1", "kernels": []})"), HasSubstr("none"));
}

TEST(Baseline, KeepsWhatWasNotChecked) {
  GateProject project;
  std::vector<CheckedFile> all = {project.file("a.cu", {project.kernel("a.cu", "gone", 1)}),
                                  project.file("b.cu", {project.kernel("b.cu", "stays", 1)})};
  Baseline merged = mergeBaselines(
      baselineOf(all, project.relative),
      baselineOf({project.file("a.cu", {project.kernel("a.cu", "fresh", 1)})}, project.relative), {"a.cu"});
  ASSERT_EQ(merged.kernels.size(), 2u);
  EXPECT_EQ(merged.kernels[0].key, "a.cu:fresh(float *)");
  EXPECT_EQ(merged.kernels[1].key, "b.cu:stays(float *)");
}

TEST(CheckedFileJson, LosesNothing) {
  GateProject project;
  CheckedFinding finding = project.finding("bank-conflict", "a.cu", 12);
  finding.finding.evidence = {{"requests", 32}};
  finding.finding.notes = {{{"/project/a.cu", 3, 4}, "see"}};
  Edit edit;
  edit.file = "/project/a.cu";
  edit.offset = 7;
  edit.text = "+ 1";
  finding.fixes.push_back({"pad", {edit}});
  CheckedFile file = project.file("a.cu", {project.kernel("a.cu", "k", 10, {finding})});
  file.accepts.push_back({{"/project/a.cu", 3, 1}, 4, {"low-ilp"}, "reason", "2027-01-01"});
  file.problems.push_back({CheckProblem::Kind::BadInput, {"/project/a.cu", 1, 1}, "wrong"});
  file.dependencies = {"/project/a.cu"};
  nlohmann::ordered_json document = toJson(file);
  std::optional<CheckedFile> again = checkedFileFromJson(document);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(toJson(*again), document);
  document["kernels"][0].erase("launch");
  EXPECT_FALSE(checkedFileFromJson(document).has_value());
}

TEST(AcceptComments, SpeakOfTheirLineOrTheNext) {
  std::vector<CheckProblem> problems;
  std::vector<AcceptComment> comments =
      readAcceptComments("a.cu",
                         "int a; // warpwright: accept(bank-conflict) tiny\n"
                         "// warpwright: accept(low-ilp, limit-registers until 2027-01-31) why\n"
                         "// and more words\n"
                         "int b;\n",
                         problems);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_EQ(comments.size(), 2u);
  EXPECT_EQ(comments[0].line, 1u);
  EXPECT_EQ(comments[0].reason, "tiny");
  EXPECT_EQ(comments[1].line, 4u);
  EXPECT_THAT(comments[1].rules, ElementsAre("low-ilp", "limit-registers"));
  EXPECT_EQ(comments[1].expires, "2027-01-31");
}

TEST(AcceptComments, MistakesAcceptNothing) {
  std::vector<CheckProblem> problems;
  EXPECT_THAT(readAcceptComments("a.cu",
                                 "// warpwright: accept(bank-conflict)\n"
                                 "// warpwright: accept(no-such-rule) reason\n"
                                 "// warpwright: ignore(bank-conflict) reason\n"
                                 "// warpwright: accept bank-conflict\n"
                                 "// warpwright: accept(bank-conflict until tomorrow) reason\n",
                                 problems),
              IsEmpty());
  ASSERT_EQ(problems.size(), 5u);
  EXPECT_THAT(problems[0].message, HasSubstr("needs a reason"));
  EXPECT_THAT(problems[1].message, HasSubstr("no rule 'no-such-rule'"));
  EXPECT_THAT(problems[4].message, HasSubstr("'tomorrow' is no date"));
  EXPECT_EQ(problems[4].place.line, 5u);
}

TEST(Glob, MatchesWholeTexts) {
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("a*c", "abbc"));
  EXPECT_TRUE(matchesGlob("gemm<?>", "gemm<4>"));
  EXPECT_TRUE(matchesGlob("src/*.cu", "src/deep/a.cu"));
  EXPECT_FALSE(matchesGlob("a", "ab"));
  EXPECT_FALSE(matchesGlob("a?", "a"));
}

TEST(NormaliseCode, DropsSpacesAndComments) {
  EXPECT_EQ(normaliseCode("a = b; // why\n  c(\" // no \", '\"');"), "a=b;c(\" // no \",'\"');");
  EXPECT_EQ(normaliseCode("int x = 1'000 + 2; // y"), "intx=1'000+2;");
}

} // namespace
