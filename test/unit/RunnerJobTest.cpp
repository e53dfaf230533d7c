#include "feedback/evaluators/cuda/runner/Job.h"
#include "feedback/evaluators/cuda/runner/JsonReader.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace warpwright::runner;
using testing::HasSubstr;

namespace {

/// A job that is right, for tests to damage.
class RunnerJobTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/runner-job";
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/code.cubin") << "code";
    job_ = Json::parse(R"({
      "schema": "warpwright/job/1", "name": "test", "original": {"cubin": "code.cubin"}, "seeds": [1],
      "tolerance": {"exact": true},
      "shapes": [{"name": "n=4", "buffers": [
          {"name": "a", "type": "float32", "count": 4, "role": "in",
           "init": {"distribution": "uniform", "first": 0, "second": 1}},
          {"name": "b", "type": "float32", "count": 4, "role": "out"}],
        "original": {"steps": [{"launch": {"symbol": "k", "grid": [1], "block": [32, 2], "arguments": [
          {"name": "a", "buffer": "a", "offset": 4}, {"name": "n", "type": "int32", "value": -2}]}}]}}]})");
    job_["original"]["sha256"] = sha256("code");
  }
  Fallible<Job> read() const { return readJob(job_.dump(), folder_); }
  std::string mistake() const {
    Fallible<Job> job = read();
    return job ? "" : job.failure().text;
  }
  Json &launch() { return job_["shapes"][0]["original"]["steps"][0]["launch"]; }

  std::string folder_;
  Json job_;
};

} // namespace

TEST(Sha256Test, KnowsTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_F(RunnerJobTest, ReadsWhatIsWritten) {
  Fallible<Job> job = read();
  ASSERT_TRUE(job) << job.failure().text;
  EXPECT_EQ(job->original.image, "code");
  ASSERT_EQ(job->shapes.size(), 1u);
  const KernelLaunch &launch = *job->shapes[0].original.steps[0].launch;
  EXPECT_EQ(launch.block, (std::array<uint32_t, 3>{32, 2, 1}));
  EXPECT_EQ(launch.arguments[0].references[0].offset, 4u);
  int32_t scalar = 0;
  std::memcpy(&scalar, launch.arguments[1].bytes.data(), 4);
  EXPECT_EQ(scalar, -2);
  EXPECT_EQ(job->shapes[0].footprint(), 32u);
}

TEST_F(RunnerJobTest, AStructIsBytesWithAddresses) {
  launch()["arguments"][0] = Json::parse(R"({"name": "p", "bytes": "01020000000000000000000000000000",
                                            "addresses": [{"at": 8, "buffer": "b"}]})");
  Fallible<Job> job = read();
  ASSERT_TRUE(job) << job.failure().text;
  const Argument &argument = job->shapes[0].original.steps[0].launch->arguments[0];
  EXPECT_EQ(argument.bytes.size(), 16u);
  EXPECT_EQ(argument.bytes[1], 2);
  EXPECT_EQ(argument.references[0].at, 8u);
  launch()["arguments"][0]["addresses"][0]["at"] = 9;
  EXPECT_THAT(mistake(), HasSubstr("an address does not fit there"));
}

TEST_F(RunnerJobTest, LargeIntegersKeepTheirBits) {
  launch()["arguments"][1] = Json::parse(R"({"name": "n", "type": "uint64", "value": 18446744073709551615})");
  Fallible<Job> job = read();
  ASSERT_TRUE(job) << job.failure().text;
  EXPECT_EQ(job->shapes[0].original.steps[0].launch->arguments[1].bytes, std::string(8, '\xff'));
}

TEST_F(RunnerJobTest, NamesThePlaceOfAMistake) {
  launch()["grid"] = {0};
  EXPECT_THAT(mistake(), HasSubstr("job.shapes[0].original.steps[0].launch.grid: has an extent"));
}

TEST_F(RunnerJobTest, RefusesUnknownKeys) {
  launch()["sharedbytes"] = 4;
  EXPECT_THAT(mistake(), HasSubstr("unknown key 'sharedbytes'"));
}

TEST_F(RunnerJobTest, RefusesCodeThatIsNotWhatWasMeant) {
  job_["original"]["sha256"] = sha256("other");
  EXPECT_THAT(mistake(), HasSubstr("original.sha256: is not that of"));
}

TEST_F(RunnerJobTest, RefusesAddressesOutsideBuffers) {
  launch()["arguments"][0]["offset"] = 17;
  EXPECT_THAT(mistake(), HasSubstr("lies beyond 'a'"));
  launch()["arguments"][0]["buffer"] = "c";
  EXPECT_THAT(mistake(), HasSubstr("there is no buffer 'c'"));
}

TEST_F(RunnerJobTest, RefusesAShapeThatWritesNothing) {
  job_["shapes"][0]["buffers"].erase(1);
  EXPECT_THAT(mistake(), HasSubstr("none is written"));
}

TEST_F(RunnerJobTest, RefusesAToleranceThatSaysTwoThings) {
  job_["tolerance"] = {{"exact", true}, {"relative", 1e-3}};
  EXPECT_THAT(mistake(), HasSubstr("either exact or has bounds"));
  job_["tolerance"] = {{"relative", -1}};
  EXPECT_THAT(mistake(), HasSubstr("negative bound"));
}

TEST_F(RunnerJobTest, RefusesTooFewRuns) {
  job_["measure"] = {{"runs", 3}};
  EXPECT_THAT(mistake(), HasSubstr("fewer than 11 runs say nothing"));
  job_["measure"] = {{"cold_runs", 3}};
  EXPECT_THAT(mistake(), HasSubstr("fewer than 11 runs say nothing"));
}

TEST_F(RunnerJobTest, TakesNoFreshAndNoColdRuns) {
  job_["measure"] = {{"fresh_runs", 0}, {"cold_runs", 0}};
  EXPECT_EQ(mistake(), "");
  job_["measure"]["decided_by"] = "cold";
  EXPECT_THAT(mistake(), HasSubstr("cold runs decide, and there are none"));
}

TEST_F(RunnerJobTest, IntegersAreComparedExactlyUnlessTheBufferSaysOtherwise) {
  job_["tolerance"] = {{"relative", 1e-3}};
  job_["shapes"][0]["buffers"][1]["type"] = "int32";
  Fallible<Job> job = read();
  ASSERT_TRUE(job) << job.failure().text;
  EXPECT_TRUE(job->toleranceOf(job->shapes[0].buffers[1]).exact);
  EXPECT_FALSE(job->toleranceOf(job->shapes[0].buffers[0]).exact);
}

TEST_F(RunnerJobTest, AnythingButJsonIsAMistake) {
  EXPECT_FALSE(readJob("{", folder_));
  EXPECT_FALSE(readJob("[]", folder_));
  EXPECT_FALSE(readJob("{}", folder_));
}
