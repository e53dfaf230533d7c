#include "feedback/agents/Submission.h"

#include <gtest/gtest.h>

#include <limits>

using namespace warpwright;
using namespace warpwright::agents;
using Json = nlohmann::ordered_json;

namespace {

Json whole() {
  return Json::parse(R"json({
    "schema": "warpwright/submission/1", "kernel": "scale", "title": "wider loads",
    "author": {"kind": "agent", "name": "a", "model": "m", "parameters": {"temperature": 0}},
    "change": {"patch": "@@ -1 +1 @@\n-a\n+b@N@\n"}, "parameters": {"N": {"from": 1, "to": 5, "step": 2}},
    "launch": {"grid": ["ceil_div(n, @N@)"], "block": [32]},
    "reasons": [{"finding": "none", "what": "w", "why": "y", "expected_gain": "g", "risk": "r", "check": "c",
                 "claims": ["coalesced", {"claim": "fewer-bank-conflicts", "subject": "tile", "value": 2}]}]
})json");
}

std::string wrong(const Json &document, SubmissionLimits limits = {}) {
  llvm::Expected<Submission> submission = readSubmission(document, limits);
  return submission ? "right" : llvm::toString(submission.takeError());
}

Json with(const std::string &key, Json value) {
  Json document = whole();
  document[key] = std::move(value);
  return document;
}

TEST(Submission, IsReadAndWrittenAsItWas) {
  llvm::Expected<Submission> submission = readSubmission(whole(), {});
  ASSERT_TRUE(bool(submission)) << llvm::toString(submission.takeError());
  EXPECT_EQ(submission->parameters["N"], (std::vector<int64_t>{1, 3, 5}));
  EXPECT_EQ(submission->reasons[0].claims[1].subject, "tile");
  llvm::Expected<Submission> again = readSubmission(toJson(*submission), {});
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(toJson(*again), toJson(*submission));
}

TEST(Submission, SaysWhatIsWrong) {
  EXPECT_EQ(wrong(whole()), "right");
  EXPECT_EQ(wrong(Json::array()), "a submission is an object");
  EXPECT_EQ(wrong(with("schema", "x")), "its 'schema' is not \"warpwright/submission/1\"");
  EXPECT_EQ(wrong(with("colour", 1)), "'colour' is no key of a submission");
  EXPECT_EQ(wrong(with("kernel", 1)), "'kernel' is no text");
  EXPECT_EQ(wrong(with("kernel", "a\033[2J")), "'kernel' holds control characters");
  EXPECT_EQ(wrong(with("title", std::string(201, 'x'))), "'title' has 201 bytes, 200 are allowed");
  EXPECT_EQ(wrong(with("change", Json::object())),
            "'change' is an object of one entry: 'patch', 'kernel' or 'steps'");
  EXPECT_EQ(wrong(with("change", {{"patch", "a"}, {"kernel", "b"}})),
            "'change' is an object of one entry: 'patch', 'kernel' or 'steps'");
  EXPECT_EQ(wrong(with("change", {{"steps", {{{"rewriter", "fly"}}}}})),
            "'fly' is no rewriter; `warpwright list` names them");
  EXPECT_EQ(wrong(with("parameters", {{"N", Json::array()}})),
            "'parameters.N' has no value, or more than 16");
  EXPECT_EQ(wrong(with("parameters", {{"N", {{"from", 1}, {"to", 100}}}})),
            "'parameters.N' has more than 16 values");
  EXPECT_EQ(wrong(with("parameters", {{"N", {{"from", 3}, {"to", 1}}}})),
            "'parameters.N' is a range that goes nowhere");
  EXPECT_EQ(wrong(with("parameters", {{"N M", 1}})), "'parameters' holds a parameter whose name is none");
  EXPECT_EQ(wrong(with("parameters", {{"N", 1.5}})), "'parameters.N' is no whole number of a sensible size");
  EXPECT_EQ(wrong(with("launch", {{"stream", 1}})), "'launch' is 'grid', 'block' and 'dynamic_shared'");
  EXPECT_EQ(wrong(with("author", {{"kind", "cat"}})), "'author.kind' is \"person\" or \"agent\"");
  Json points = with("parameters", {{"N", {1, 2, 3, 4, 5}}, {"M", {1, 2, 3, 4}}});
  EXPECT_EQ(wrong(points), "its parameters have 20 points, 16 are allowed");
  // 16 parameters of 16 values: the product is 2 to the 64th.
  Json values = Json::array();
  for (int64_t value = 0; value < 16; ++value)
    values.push_back(value);
  Json space = Json::object();
  for (const char *name : {"A", "B", "C", "D", "E", "F", "G", "H"})
    space[name] = values;
  Json step = {{"rewriter", "pad-shared-array"}, {"parameters", space}};
  Json huge = with("change", {{"steps", {step, step}}});
  huge.erase("launch");
  huge.erase("parameters");
  EXPECT_NE(wrong(huge).find("points, 16 are allowed"), std::string::npos) << wrong(huge);
  EXPECT_EQ(wrong(with("parameters", {{"N", std::numeric_limits<int64_t>::min()}})),
            "'parameters.N' is too large");
  Json none = whole();
  none.erase("change");
  EXPECT_EQ(wrong(none), "'change' is missing: a 'patch', a 'kernel' or 'steps'");
}

TEST(Submission, ReadsNoTextThatIsTooLargeOrTooDeep) {
  SubmissionLimits limits;
  limits.bytes = 100;
  auto refused = [&](const std::string &text) {
    llvm::Expected<Submission> submission = parseSubmission(text, limits);
    return submission ? "right" : llvm::toString(submission.takeError());
  };
  EXPECT_EQ(refused(std::string(101, ' ')), "the submission has 101 bytes, 100 are allowed");
  EXPECT_EQ(refused(std::string(60, '[')), "the submission nests deeper than 48 levels");
  EXPECT_EQ(refused("{\"a\": \"\xff\"}"), "the submission is not JSON, or not in UTF-8");
  EXPECT_FALSE(isShallow(std::string(100, '{')));
  EXPECT_TRUE(isShallow("\"" + std::string(100, '{') + "\""));
}

TEST(Submission, NamesTheReasonThatIsMissing) {
  Submission submission = llvm::cantFail(readSubmission(whole(), {}));
  EXPECT_EQ(missingReasons(submission), "");
  submission.reasons[0].risk = " ";
  EXPECT_EQ(missingReasons(submission), "reason 1 does not say 'risk'");
  submission.reasons.clear();
  EXPECT_EQ(missingReasons(submission), "it gives no reason: 'reasons' needs an entry for each change");
}

TEST(Submission, SweepsItsParameters) {
  std::vector<ParameterPoint> points = pointsOf({{"A", {1, 2}}, {"B", {3, 4}}});
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1], (ParameterPoint{{"A", 1}, {"B", 4}}));
  EXPECT_EQ(pointsOf({}).size(), 1u);
  EXPECT_EQ(llvm::cantFail(substitute("x@A@y@A@", {{"A", -7}})), "x-7y-7");
  EXPECT_EQ(llvm::toString(substitute("x", {{"A", 1}}).takeError()),
            "the change does not hold '@A@', which is a parameter");
}

} // namespace
