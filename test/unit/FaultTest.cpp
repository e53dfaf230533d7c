#include "feedback/evaluators/virtual/Fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace warpwright;
using namespace warpwright::vdevice;
using testing::SizeIs;

static Fault writeBeyond(uint64_t block, uint64_t thread) {
  Fault fault;
  fault.kind = FaultKind::OutOfBounds;
  fault.party.place = {"a.cu", 7, 3};
  fault.party.position = {{block, 0, 0}, {thread, 0, 0}};
  fault.party.deed = "writes 4 bytes at c[1024]";
  fault.memory = FaultMemory{.bytes = 4, .object = "c", .offset = 4096, .objectBytes = 4096};
  fault.detail = "0 bytes past the end (1024 elements)";
  return fault;
}

static Fault race(uint64_t block, Severity severity) {
  Fault fault = writeBeyond(block, 0);
  fault.kind = FaultKind::BlockRace;
  fault.severity = severity;
  fault.other = FaultParty{{"a.cu", 9, 1}, {{0, 0, 0}, {2, 0, 0}}, "reads it"};
  return fault;
}

TEST(Fault, ReadsLikeADiagnostic) {
  EXPECT_EQ(faultToText(writeBeyond(1, 3)),
            "a.cu:7:3: error: thread (3,0,0) of block (1,0,0) writes 4 bytes at c[1024], "
            "0 bytes past the end (1024 elements) [out-of-bounds]\n");
}

TEST(Fault, NamesTheOtherPartyAndTheOccurrencesAsNotes) {
  Fault fault = race(1, Severity::Error);
  fault.detail.clear();
  fault.occurrences = 12;
  EXPECT_EQ(faultToText(fault),
            "a.cu:7:3: error: thread (0,0,0) of block (1,0,0) writes 4 bytes at c[1024] [block-race]\n"
            "a.cu:9:1: note: thread (2,0,0) of block (0,0,0) reads it\n"
            "a.cu:7:3: note: this is the first of 12 occurrences\n");
}

TEST(Fault, HasAJsonForm) {
  auto json = faultToJson(race(1, Severity::Note));
  EXPECT_EQ(json["kind"], "block-race");
  EXPECT_EQ(json["severity"], "note");
  EXPECT_EQ(json["place"].dump(), R"({"file":"a.cu","line":7,"column":3})");
  EXPECT_EQ(json["block"].dump(), "[1,0,0]");
  EXPECT_EQ(json["memory"].dump(),
            R"({"space":"global","bytes":4,"object":"c","offset":4096,"object_bytes":4096})");
  EXPECT_EQ(json["other"]["message"], "thread (2,0,0) of block (0,0,0) reads it");
  EXPECT_EQ(json["occurrences"], 1);
}

TEST(Fault, LeavesOutWhatIsNotKnown) {
  Fault fault;
  fault.kind = FaultKind::Trap;
  fault.party.deed = "executes a trap";
  auto json = faultToJson(fault);
  EXPECT_FALSE(json.contains("place"));
  EXPECT_FALSE(json.contains("memory"));
  EXPECT_FALSE(json.contains("other"));
  EXPECT_EQ(faultToText(fault),
            "<unknown place>: error: thread (0,0,0) of block (0,0,0) executes a trap [trap]\n");
}

TEST(Fault, MergesToTheSameWhateverTheOrder) {
  std::vector<Fault> faults = {writeBeyond(2, 0), race(1, Severity::Error), writeBeyond(0, 5),
                               writeBeyond(0, 4)};
  std::vector<Fault> forward;
  mergeFaults(forward, faults);
  std::vector<Fault> backward;
  for (auto fault = faults.rbegin(); fault != faults.rend(); ++fault)
    mergeFaults(backward, *fault);
  ASSERT_THAT(forward, SizeIs(2));
  ASSERT_THAT(backward, SizeIs(2));
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(faultToText(forward[i]), faultToText(backward[i]));
  EXPECT_EQ(forward[1].occurrences, 3u);
  EXPECT_EQ(forward[1].party.position.thread.x, 4u);
}

TEST(Fault, NotesLeaveALaunchClean) {
  EXPECT_TRUE(isClean({}));
  EXPECT_TRUE(isClean(race(1, Severity::Note)));
  EXPECT_FALSE(isClean({race(1, Severity::Note), race(2, Severity::Error)}));
}

TEST(Fault, SplitsLinearIndices) {
  EXPECT_EQ(delinearise(7, {2, 3, 4}), (Dim3{1, 0, 1}));
}
