#include "rewriters/LaunchPlan.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace warpwright;

namespace {

nlohmann::ordered_json parse(llvm::StringRef text) {
  return nlohmann::ordered_json::parse(text.begin(), text.end(), nullptr, false);
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<std::vector<LaunchPlan>> plans = parseLaunchPlans(parse(text));
  return plans ? "no error" : llvm::toString(plans.takeError());
}

LaunchPlan planOf(llvm::StringRef text) {
  llvm::Expected<std::vector<LaunchPlan>> plans = parseLaunchPlans(parse(text));
  if (!plans) {
    ADD_FAILURE() << llvm::toString(plans.takeError());
    return LaunchPlan::same("");
  }
  return plans->front();
}

AnnotationParameter scalar(const char *name) {
  return {name, ParameterKind::Integer, {ElementKind::Integer, "int", 4, true}, false};
}
AnnotationParameter floating(const char *name) {
  return {name, ParameterKind::Floating, {ElementKind::Float, "float", 4, true}, false};
}
AnnotationParameter pointer(const char *name) {
  return {name, ParameterKind::Pointer, {ElementKind::Float, "float", 4, true}, false};
}

/// sum(const float *in, float *out, int n, float scale)
AnnotationContext original() {
  return {"sum", {pointer("in"), pointer("out"), scalar("n"), floating("scale")}, {{"Tile", 64}}, {}};
}

std::vector<AnnotationContext> candidates() {
  return {{"partial_sums", {pointer("in"), pointer("partial"), scalar("n")}, {}, {}},
          {"finish", {pointer("partial"), pointer("out"), scalar("count"), floating("scale")}, {}, {}}};
}

Launch launch() {
  Launch launch;
  launch.kernel = "sum";
  launch.grid = {10, 1, 1};
  launch.block = {128, 1, 1};
  launch.dynamicSharedBytes = 512;
  launch.arguments = {{"n", int64_t(1000)}, {"scale", 0.5}};
  return launch;
}

constexpr const char *TwoLaunches = R"~({"kernel": "sum", "guard": "n > 4",
  "scratch": [{"name": "partial", "bytes": "4 * grid.x"}],
  "steps": [{"memset": "out", "value": 0, "bytes": 4},
            {"launch": "partial_sums", "grid": ["ceil_div(n, Tile)"], "block": [64], "dynamic_shared": 0
},
            {"launch": "finish", "grid": [1], "arguments": {"count": "ceil_div(n, Tile)"}}]
})~";

std::string evaluationError(llvm::StringRef text) {
  llvm::Expected<std::optional<ConcretePlan>> plan =
      evaluatePlan(planOf(text), launch(), original(), candidates());
  return plan ? "no error" : llvm::toString(plan.takeError());
}

TEST(LaunchPlan, BindsLaunchesScratchAndFills) {
  llvm::Expected<std::optional<ConcretePlan>> plan =
      evaluatePlan(planOf(TwoLaunches), launch(), original(), candidates());
  ASSERT_TRUE(static_cast<bool>(plan)) << llvm::toString(plan.takeError());
  ASSERT_TRUE(plan->has_value());
  ASSERT_EQ((*plan)->scratch.size(), 1u);
  EXPECT_EQ((*plan)->scratch.front().bytes, 40u);
  ASSERT_EQ((*plan)->steps.size(), 3u);
  EXPECT_EQ(std::get<ConcreteFill>((*plan)->steps[0]).buffer, "out");
  const auto &first = std::get<ConcreteLaunch>((*plan)->steps[1]);
  EXPECT_EQ(first.launch.grid, (Dim3{16, 1, 1}));
  EXPECT_EQ(first.launch.block, (Dim3{64, 1, 1}));
  EXPECT_EQ(first.launch.dynamicSharedBytes, 0u);
  EXPECT_EQ(first.buffers.at("partial"), "partial");
  EXPECT_EQ(std::get<int64_t>(first.launch.arguments.at("n")), 1000);
  const auto &second = std::get<ConcreteLaunch>((*plan)->steps[2]);
  EXPECT_EQ(second.launch.block, (Dim3{128, 1, 1}));
  EXPECT_EQ(second.launch.dynamicSharedBytes, 512u);
  EXPECT_EQ(std::get<int64_t>(second.launch.arguments.at("count")), 16);
  EXPECT_EQ(std::get<double>(second.launch.arguments.at("scale")), 0.5);
  EXPECT_EQ(second.buffers.at("out"), "out");
}

TEST(LaunchPlan, KeepsTheOriginalWhereTheGuardDoesNotHold) {
  Launch small = launch();
  small.arguments["n"] = int64_t(4);
  llvm::Expected<std::optional<ConcretePlan>> plan =
      evaluatePlan(planOf(TwoLaunches), small, original(), candidates());
  ASSERT_TRUE(static_cast<bool>(plan)) << llvm::toString(plan.takeError());
  EXPECT_FALSE(plan->has_value());
}

TEST(LaunchPlan, SurvivesWritingAndReading) {
  LaunchPlan plan = planOf(TwoLaunches);
  nlohmann::ordered_json written = toJson(plan);
  llvm::Expected<std::vector<LaunchPlan>> again = parseLaunchPlans(written);
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(toJson(*again).dump(), written.dump());
}

TEST(LaunchPlan, KnowsWhetherItChangesAnything) {
  EXPECT_TRUE(LaunchPlan::same("k").isSame());
  EXPECT_FALSE(planOf(TwoLaunches).isSame());
  EXPECT_EQ(planOf(TwoLaunches).label(), "partial_sums, finish");
}

TEST(LaunchPlan, NamesWhatIsWrongInTheDocument) {
  EXPECT_EQ(errorOf("3"), "plans must be an array");
  EXPECT_EQ(errorOf(R"({"steps": [{"launch": "k"}]})"), "plan 0: 'kernel' is missing");
  EXPECT_EQ(errorOf(R"({"kernel": "k", "steps": []})"), "plan 0: 'steps' is missing or empty");
  EXPECT_EQ(errorOf(R"({"kernel": "k", "steps": [{"memset": "x", "bytes": 4}]})"),
            "plan 0: it launches nothing");
  EXPECT_EQ(errorOf(R"({"kernel": "k", "steps": [{"launch": "k", "gird": [1]}]})"),
            "plan 0: steps[0]: unknown key 'gird'");
  EXPECT_EQ(errorOf(R"({"kernel": "k", "steps": [{"launch": "k", "grid": []}]})"),
            "plan 0: steps[0]: 'grid' must be an array of one to three extents");
  EXPECT_EQ(errorOf(R"([{"kernel": "k", "steps": [{"launch": "k", "grid": ["n +"]}]}])").substr(0, 25),
            "plan 0: steps[0]: 'grid':");
}

TEST(LaunchPlan, NamesWhatCannotBeLaunched) {
  EXPECT_EQ(evaluationError(R"({"kernel": "sum", "steps": [{"launch": "lost"}]})"),
            "plan for 'sum': there is no kernel 'lost'");
  EXPECT_EQ(evaluationError(R"({"kernel": "sum", "steps": [{"launch": "partial_sums"}]})"),
            "plan for 'sum': launch of 'partial_sums': pointer 'partial' gets no buffer");
  EXPECT_EQ(evaluationError(
                R"({"kernel": "sum", "steps": [{"launch": "finish", "arguments": {"partial": "in"}}]})"),
            "plan for 'sum': launch of 'finish': parameter 'count' has no value");
  EXPECT_EQ(
      evaluationError(R"({"kernel": "sum", "steps": [{"launch": "finish", "arguments": {"cuont": 1}}]})"),
      "plan for 'sum': 'finish' has no parameter 'cuont'");
  EXPECT_EQ(evaluationError(R"({"kernel": "sum", "steps": [{"launch": "finish", "block": [0]}]})"),
            "plan for 'sum': launch of 'finish': the block's x is 0, not positive");
  EXPECT_EQ(evaluationError(R"({"kernel": "sum", "scratch": [{"name": "s", "bytes": "-n"}],
                                "steps": [{"launch": "finish"}]})"),
            "plan for 'sum': scratch 's': -1000 bytes");
}

} // namespace
