#include "analysis/Launch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace warpwright;

namespace {

nlohmann::ordered_json parse(const char *text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

std::string errorOf(const char *text) {
  llvm::Expected<std::vector<Launch>> launches = parseLaunches(parse(text));
  return launches ? "no error" : llvm::toString(launches.takeError());
}

TEST(Launch, ReadsAnArrayOfLaunches) {
  llvm::Expected<std::vector<Launch>> launches = parseLaunches(parse(
      R"([{"name": "gemm", "grid": [4, 2], "block": [16, 16, 1], "args": {"n": 64, "scale": 0.5},
           "dynamic_shared_bytes": 128}])"));
  ASSERT_TRUE(static_cast<bool>(launches)) << llvm::toString(launches.takeError());
  ASSERT_EQ(launches->size(), 1u);
  const Launch &launch = launches->front();
  EXPECT_EQ(launch.kernel, "gemm");
  EXPECT_EQ(launch.grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(launch.block.count(), 256u);
  EXPECT_EQ(launch.dynamicSharedBytes, 128u);
  EXPECT_EQ(std::get<int64_t>(launch.arguments.at("n")), 64);
  EXPECT_EQ(std::get<double>(launch.arguments.at("scale")), 0.5);
}

TEST(Launch, ReadsAnObjectThatHoldsLaunches) {
  llvm::Expected<std::vector<Launch>> launches =
      parseLaunches(parse(R"({"launches": [{"name": "k", "grid": [1], "block": [1]}]})"));
  ASSERT_TRUE(static_cast<bool>(launches)) << llvm::toString(launches.takeError());
  EXPECT_EQ(launches->size(), 1u);
}

TEST(Launch, ReadsBuffers) {
  llvm::Expected<std::vector<Launch>> launches = parseLaunches(parse(
      R"([{"name": "k", "grid": [1], "block": [1], "buffers": {"a": {"elements": 8},
           "b": {"elements": 0, "type": "int8", "init": "none", "misalignment": 4}}}])"));
  ASSERT_TRUE(static_cast<bool>(launches)) << llvm::toString(launches.takeError());
  EXPECT_EQ(launches->front().buffers.at("a"), (LaunchBuffer{8, "float32", "zeros", 0}));
  EXPECT_EQ(launches->front().buffers.at("b"), (LaunchBuffer{0, "int8", "none", 4}));
}

TEST(Launch, NamesWhatIsWrongWithBuffers) {
  auto errorOfBuffer = [](const std::string &buffer) {
    return errorOf(
        (R"([{"name": "k", "grid": [1], "block": [1], "buffers": {"a": )" + buffer + "}}]").c_str());
  };
  EXPECT_EQ(errorOfBuffer("{}"), "launch 0: buffer 'a' must be an object with 'elements'");
  EXPECT_EQ(errorOfBuffer(R"({"elements": -1})"),
            "launch 0: buffer 'a': 'elements' must be an integer that is not negative");
  EXPECT_EQ(errorOfBuffer(R"({"elements": 1, "misalignment": 256})"),
            "launch 0: buffer 'a': 'misalignment' must be an integer from 0 to 255");
  EXPECT_EQ(errorOfBuffer(R"({"elements": 1, "size": 4})"), "launch 0: buffer 'a': unknown key 'size'");
}

TEST(Launch, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf(R"({"launch": []})"), "the object has no member 'launches'");
  EXPECT_EQ(errorOf(R"([{"name": "k", "grid": [0], "block": [1]}])"),
            "launch 0: 'grid' holds 0, not a positive integer");
  EXPECT_EQ(errorOf(R"([{"name": "k", "grid": [1]}])"), "launch 0: 'grid' and 'block' are both needed");
  EXPECT_EQ(errorOf(R"([{"name": "k", "grid": [1], "block": [1], "blocks": 3}])"),
            "launch 0: unknown key 'blocks'");
  EXPECT_EQ(errorOf(R"([{"name": "k", "grid": [1], "block": [1], "args": {"n": "64"}}])"),
            "launch 0: argument 'n' is \"64\", not a number");
}

} // namespace
