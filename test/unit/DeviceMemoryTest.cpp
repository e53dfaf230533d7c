#include "feedback/evaluators/virtual/DeviceMemory.h"

#include "feedback/evaluators/virtual/DeviceProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace warpwright;
using namespace warpwright::vdevice;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

static uint64_t add(DeviceMemory &memory, const BufferRequest &request) {
  auto address = memory.addBuffer(request);
  EXPECT_TRUE(bool(address)) << llvm::toString(address.takeError());
  return address ? *address : 0;
}

TEST(DeviceMemory, FillsBuffersWithWhatIsGivenAndZeros) {
  DeviceMemory memory;
  const uint8_t given[] = {1, 2, 3};
  uint64_t address = add(memory, {.name = "a", .bytes = 5, .contents = given});
  EXPECT_EQ(address % 256, 0u);
  EXPECT_THAT(memory.contents(address), ElementsAre(1, 2, 3, 0, 0));
}

TEST(DeviceMemory, PlacesBuffersOffTheirAlignmentOnRequest) {
  DeviceMemory memory;
  EXPECT_EQ(add(memory, {.name = "a", .bytes = 4096, .misalignment = 4}) % 256, 4u);
}

TEST(DeviceMemory, FindsWhatHoldsAnAddressAndWhatIsNear) {
  DeviceMemory memory;
  uint64_t a = add(memory, {.name = "a", .bytes = 100});
  uint64_t b = add(memory, {.name = "b", .bytes = 1 << 20});
  uint64_t none = add(memory, {.name = "none", .bytes = 0});
  EXPECT_EQ(memory.find(a)->name, "a");
  EXPECT_EQ(memory.find(a + 99)->name, "a");
  EXPECT_EQ(memory.find(a + 100), nullptr);
  EXPECT_EQ(memory.findNear(a + 100)->name, "a");
  EXPECT_EQ(memory.findNear(a - 4)->name, "a");
  EXPECT_EQ(memory.find(b)->name, "b");
  EXPECT_EQ(memory.findNear(b + (2 << 20) - 1)->name, "b");
  EXPECT_EQ(memory.find(none), nullptr);
  EXPECT_EQ(memory.findNear(none)->name, "none");
  EXPECT_EQ(memory.findNear(8), nullptr);
}

TEST(DeviceMemory, SaysWhetherAWholeAccessFits) {
  MemoryRange range;
  range.begin = 1000;
  range.bytes = 16;
  EXPECT_TRUE(range.holds(1000, 16));
  EXPECT_TRUE(range.holds(1012, 4));
  EXPECT_FALSE(range.holds(1013, 4));
  EXPECT_FALSE(range.holds(999, 1));
  EXPECT_FALSE(range.holds(1016, 0));
}

TEST(DeviceMemory, KeepsAMapOfWhatWasWrittenOnRequest) {
  DeviceMemory memory;
  uint64_t in = add(memory, {.name = "in", .bytes = 8});
  uint64_t out = add(memory, {.name = "out", .bytes = 8, .initialised = false});
  EXPECT_EQ(memory.find(in)->written, nullptr);
  ASSERT_NE(memory.find(out)->written, nullptr);
  EXPECT_THAT(llvm::ArrayRef(memory.find(out)->written, 8), Each(0));
}

TEST(DeviceMemory, RefusesExtentsTooLargeForMemory) {
  DeviceMemory memory;
  for (uint64_t bytes : {uint64_t(1) << 50, ~uint64_t(0) - 5}) {
    auto address = memory.addBuffer({.name = "huge", .bytes = bytes});
    ASSERT_FALSE(bool(address));
    EXPECT_THAT(llvm::toString(address.takeError()), HasSubstr("'huge' needs " + std::to_string(bytes)));
  }
  EXPECT_TRUE(memory.ranges().empty());
}

TEST(DeviceMemory, PlacesVariablesAndTheAddressesInTheirValues) {
  DeviceVariable table;
  table.symbol = "_ZL5table";
  table.name = "table";
  table.bytes = 8;
  table.constant = true;
  table.initialValue = {7, 0, 0, 0, 9, 0, 0, 0};
  DeviceVariable pointer;
  pointer.symbol = "pointer";
  pointer.bytes = 8;
  pointer.initialValue.assign(8, 0);
  pointer.references = {{.offset = 0, .variable = 0, .addend = 4}};
  DeviceMemory memory;
  ASSERT_FALSE(bool(memory.addVariables({table, pointer})));
  EXPECT_EQ(memory.find(memory.variableAddress(0))->name, "table");
  EXPECT_EQ(memory.find(memory.variableAddress(0))->space, simt::AccessSpace::Constant);
  EXPECT_EQ(memory.find(memory.variableAddress(1))->name, "pointer");
  uint64_t target = 0;
  std::memcpy(&target, reinterpret_cast<const void *>(memory.variableAddress(1)), 8);
  EXPECT_EQ(target, memory.variableAddress(0) + 4);
}
