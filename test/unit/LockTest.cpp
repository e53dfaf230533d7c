#include "feedback/LockJson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

namespace {

LockEntry entry() {
  LockEntry entry;
  entry.file = "src/gemm.cu";
  entry.kernel = "gemm.cu:gemm(const float *, float *, int)";
  entry.architecture = "sm_90";
  entry.shapes = {"n = 4096", "n = 129"};
  entry.tokens = std::string(64, 'a');
  entry.flags = {"-O3", "-gencode=arch=compute_90,code=sm_90"};
  entry.toolkit = "13.0.88";
  entry.protocol = "1";
  entry.device = "NVIDIA H200";
  entry.driver = "13.0";
  entry.choice = {
      {{{"pad-shared-array", "tile", {{"pad", 1}}}}, {{1, "32", "33"}}, "n >= 4096"},
      {{{"qualify-restrict", "in", {}}}, {{1, "", "__restrict__ "}, {3, "a\nb", "c\nd"}}, "n >= 4096"}};
  entry.reason = "faster on 2 of 2 shapes";
  entry.measured = {{"n = 4096", "FASTER", 100.5, 80.25}, {"n = 129", "FASTER", 3, 2.5}};
  return entry;
}

LockConditions conditions() {
  LockEntry known = entry();
  return {known.shapes, known.tokens, known.flags, known.toolkit, known.protocol, known.device, known.driver};
}

LockEntry read(const Json &value) {
  llvm::Expected<LockEntry> read = readLockEntry(value, "entry");
  if (read)
    return std::move(*read);
  ADD_FAILURE() << llvm::toString(read.takeError());
  return {};
}

/// Every number, text and array of the document, by its pointer.
std::vector<Json::json_pointer> placesIn(const Json &value) {
  std::vector<Json::json_pointer> places;
  Json flat = value.flatten();
  for (const auto &[path, leaf] : flat.items())
    places.emplace_back(path);
  return places;
}

void alter(Json &value) {
  if (value.is_string())
    value = value.get<std::string>() + "x";
  else if (value.is_number())
    value = value.get<int64_t>() + 1;
  else if (value.is_object())
    value["x"] = 1;
  else
    value.push_back("x");
}

TEST(Lock, KeepsWhatWasWritten) {
  Lock lock;
  lock.update(entry());
  LockEntry back = read(sealed(entry()));
  EXPECT_TRUE(back.isIntact);
  EXPECT_EQ(back.choice, entry().choice);
  EXPECT_EQ(toJson(back), toJson(entry()));
  EXPECT_EQ(whyStale(back, conditions()), std::nullopt);
}

TEST(Lock, IsStaleWhereAnyFieldIsAlteredAlone) {
  Json whole = sealed(entry());
  unsigned altered = 0;
  for (const Json::json_pointer &place : placesIn(whole)) {
    Json changed = whole;
    alter(changed[place]);
    llvm::Expected<LockEntry> back = readLockEntry(changed, "entry");
    if (!back) { // no lock at all is as good as stale
      llvm::consumeError(back.takeError());
      continue;
    }
    ++altered;
    std::optional<std::string> stale = whyStale(*back, conditions());
    ASSERT_TRUE(stale) << place.to_string();
    EXPECT_THAT(*stale, HasSubstr("not as it was written")) << place.to_string();
  }
  EXPECT_GT(altered, 25u);
}

TEST(Lock, IsStaleWithoutAChecksum) {
  EXPECT_FALSE(read(toJson(entry())).isIntact);
}

TEST(Lock, IsStaleWhereAConditionIsAnother) {
  LockEntry known = read(sealed(entry()));
  auto stale = [&](auto change) {
    LockConditions now = conditions();
    change(now);
    return whyStale(known, now).value_or("fresh");
  };
  EXPECT_THAT(stale([](LockConditions &now) { now.tokens = "b"; }), HasSubstr("has changed since"));
  EXPECT_EQ(stale([](LockConditions &now) { now.shapes.pop_back(); }),
            "its shapes were 'n = 4096, n = 129' then and 'n = 4096' now");
  EXPECT_THAT(stale([](LockConditions &now) { std::swap(now.shapes[0], now.shapes[1]); }),
              HasSubstr("shapes"));
  EXPECT_THAT(stale([](LockConditions &now) { now.flags[0] = "-O2"; }),
              HasSubstr("nvcc's flags were '-O3, "));
  EXPECT_EQ(stale([](LockConditions &now) { now.toolkit = "13.1.0"; }),
            "the toolkit was '13.0.88' then and '13.1.0' now");
  EXPECT_THAT(stale([](LockConditions &now) { now.protocol = "2"; }),
              HasSubstr("the protocol of measuring was"));
  EXPECT_THAT(stale([](LockConditions &now) { now.device = "NVIDIA H100"; }), HasSubstr("the device was"));
  EXPECT_THAT(stale([](LockConditions &now) { now.driver = "13.1"; }), HasSubstr("the driver was"));
  EXPECT_EQ(stale([](LockConditions &now) { now.device = now.driver = std::nullopt; }), "fresh");
}

TEST(Lock, KeepsEntriesInOrderAndOneAKernel) {
  Lock lock;
  LockEntry second = entry();
  second.kernel = "a";
  lock.update(entry());
  lock.update(second);
  second.reason = "again";
  lock.update(second);
  ASSERT_EQ(lock.entries().size(), 2u);
  EXPECT_EQ(lock.entries().front().reason, "again");
  EXPECT_EQ(lock.find("src/gemm.cu", "a", "sm_90"), &lock.entries().front());
  EXPECT_EQ(lock.find("src/gemm.cu", "a", "sm_80"), nullptr);
}

TEST(Lock, WritesTextsOfSeveralLinesAsLines) {
  Lock lock;
  lock.update(entry());
  EXPECT_THAT(lock.text(), HasSubstr("\"replaces\": [\n        \"a\",\n        \"b\"\n       ],"));
}

TEST(Lock, SaysWhatIsWrong) {
  Json value = sealed(entry());
  value["measured"][0].erase("verdict");
  llvm::Expected<LockEntry> back = readLockEntry(value, "entries[0]");
  ASSERT_FALSE(back);
  EXPECT_THAT(llvm::toString(back.takeError()), HasSubstr("entries[0].measured"));
}

TEST(PathFrom, LeadsFromTheFolderOfAFile) {
  EXPECT_EQ(pathFrom("/a/b/lock.json", "/a/b/c/k.cu"), "c/k.cu");
  EXPECT_EQ(pathFrom("/a/b/lock.json", "/a/d/k.cu"), "../d/k.cu");
  EXPECT_EQ(pathFrom("/a/lock.json", "/a/./b/../k.cu"), "k.cu");
}

} // namespace
