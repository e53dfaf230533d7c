// The interpreter's memory must not grow with what a kernel reaches: stores that lie far apart, large local
// arrays and many warps of a large kernel once took gigabytes.

#include "analysis/simt/Decode.h"
#include "analysis/simt/Memory.h"
#include "analysis/simt/Sampler.h"

#include <gtest/gtest.h>

using namespace warpwright::simt;

TEST(BoundedMemory, StoresBeyondTheLastPageReadAsUnknown) {
  Program program;
  DeviceMemory memory(program, 0);
  constexpr uint64_t base = uint64_t(1) << 48;
  constexpr uint64_t stride = 1 << 16;
  constexpr uint64_t stores = 1 << 15;
  for (uint64_t i = 0; i < stores; ++i)
    memory.write(base + i * stride, 4, i + 1, /*known=*/true);
  uint64_t value = 0;
  EXPECT_TRUE(memory.read(base, 4, value));
  EXPECT_EQ(value, 1u);
  EXPECT_FALSE(memory.read(base + (stores - 1) * stride, 4, value));
  EXPECT_EQ(value, 0u);
  // A page that is kept takes what is written later.
  memory.write(base + 8, 4, 7, /*known=*/true);
  EXPECT_TRUE(memory.read(base + 8, 4, value));
  EXPECT_EQ(value, 7u);
}

TEST(BoundedMemory, TheFirstPartOfALargeLocalArrayIsKept) {
  LocalMemory local;
  constexpr uint64_t bytes = 1 << 20;
  uint64_t array = local.allocate(bytes, 16);
  local.write(3, array + 1024, 4, 5, /*known=*/true);
  local.write(3, array + bytes / 2, 4, 5, /*known=*/true);
  uint64_t value = 0;
  EXPECT_TRUE(local.read(3, array + 1024, 4, value));
  EXPECT_EQ(value, 5u);
  EXPECT_FALSE(local.read(3, array + bytes / 2, 4, value));
}

TEST(BoundedMemory, WarpsOfALargeKernelCostMoreOfTheBudget) {
  // Every warp differs from every other, and leaves at once.
  constexpr uint64_t warps = 1 << 16;
  constexpr uint64_t budget = 100'000;
  auto unitsRun = [&](size_t sites) {
    return estimateBySampling({1, warps, 1, 1}, budget,
                              [&](const UnitIndex &unit) {
                                Tally tally;
                                tally.sites.resize(sites);
                                tally.sites.front().requests = unit[1];
                                tally.steps = 1;
                                return tally;
                              })
        .unitsRun;
  };
  EXPECT_GT(unitsRun(4), 2'000u);
  EXPECT_LT(unitsRun(100'000), 200u);
}
