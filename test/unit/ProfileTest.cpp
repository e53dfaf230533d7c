#include "feedback/Profile.h"
#include "feedback/Bottleneck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace warpwright;
using Json = nlohmann::ordered_json;

namespace {

Json profileDocument() {
  return Json::parse(R"({"schema": "warpwright/profile/1", "code": "original", "shape": "n=4",
    "device": "NVIDIA H200", "architecture": "sm_90", "counters": {"state": "collected", "passes": 12},
    "samples": {"state": "missing", "why": "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
    "launches": [{"symbol": "k", "grid": [2, 1, 1], "block": [32, 4, 1], "registers": 20, "shared_bytes": 0,
      "local_bytes": 0, "counters": {"duration_ns": 5000.5}, "stalls": {"barrier": 30, "selected": 10},
      "lines": [{"file": "k.cu", "line": 7, "stalls": {"barrier": 3, "wait": 1}}]}], "notes": ["slow"]})");
}

} // namespace

TEST(ProfileTest, ReadsWhatItWrites) {
  llvm::Expected<Profile> profile = readProfile(profileDocument());
  ASSERT_TRUE(bool(profile)) << llvm::toString(profile.takeError());
  EXPECT_EQ(toJson(*profile), profileDocument());
  const LaunchProfile &launch = profile->launches.front();
  EXPECT_EQ(launch.threads(), 256u);
  EXPECT_EQ(launch.counter("duration_ns"), 5000.5);
  EXPECT_EQ(launch.counter("dram_percent"), std::nullopt);
  EXPECT_DOUBLE_EQ(launch.stallShare("barrier"), 0.75);
  EXPECT_DOUBLE_EQ(launch.stallShare("wait"), 0);
  EXPECT_EQ(launch.lines.front().samples(), 4u);
  EXPECT_FALSE(profile->samples.collected);
}

TEST(ProfileTest, NamesThePlaceOfAMistake) {
  Json document = profileDocument();
  document["launches"][0]["counters"]["duration_ns"] = "long";
  llvm::Expected<Profile> profile = readProfile(document);
  ASSERT_FALSE(bool(profile));
  EXPECT_THAT(llvm::toString(profile.takeError()),
              testing::HasSubstr("profile.launches[0].counters: 'duration_ns' is no number"));
}

TEST(BottleneckTest, LabelsAreReadBack) {
  for (Bottleneck bottleneck :
       {Bottleneck::Atomics, Bottleneck::MemoryBandwidth, Bottleneck::UncoalescedAccess})
    EXPECT_EQ(parseBottleneck(toString(bottleneck)), bottleneck);
  EXPECT_EQ(parseBottleneck("bandwidth"), std::nullopt);
}
