#include "analysis/arch/Occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;

namespace {

const Architecture &architecture(llvm::StringRef name) {
  const Architecture *found = findArchitecture(name);
  EXPECT_NE(found, nullptr) << name.str();
  return found ? *found : architectures().front();
}

TEST(Architecture, IsFoundByEveryNameOfIt) {
  const Architecture *hopper = findArchitecture("sm_90");
  ASSERT_NE(hopper, nullptr);
  EXPECT_EQ(hopper->name, "sm_90");
  for (llvm::StringRef name : {"compute_90", "90", "90a", "sm_90a", "compute_90a"})
    EXPECT_EQ(findArchitecture(name), hopper) << name.str();
  EXPECT_EQ(architecture("100f").name, "sm_100");
  EXPECT_EQ(architecture("sm_101").name, "sm_110");
}

TEST(Architecture, IsNotGuessed) {
  for (llvm::StringRef name : {"", "sm_", "sm_70", "91", "sm_90b", "sm_90af", "native", "all", "-90", "090",
                               "900", "9.0", "sm_compute_90", "4294967386"})
    EXPECT_EQ(findArchitecture(name), nullptr) << name.str();
}

TEST(Architecture, RowsHoldWhatTheGuidesSay) {
  EXPECT_EQ(architectures().size(), 12u);
  EXPECT_EQ(architecture("sm_75").maxThreads(), 1024u);
  EXPECT_THAT(architecture("sm_75").sharedConfigurations(), ElementsAre(32, 64));
  EXPECT_EQ(architecture("sm_80").fp64Ratio(), 2u);
  EXPECT_EQ(architecture("sm_86").fp64Ratio(), 64u);
  EXPECT_EQ(architecture("sm_103").fp64Ratio(), 64u);
  EXPECT_EQ(architecture("sm_90").sharedBytes(), 228u * 1024);
  EXPECT_EQ(architecture("sm_120").maxSharedPerBlock, 99u * 1024);
  EXPECT_FALSE(architecture("sm_103").special.has_value());
}

/// Read with Nsight Compute 2025.3 on an H200: one launch each, registers as ptxas reports them.
struct Measured {
  unsigned threads;
  unsigned registers;
  uint64_t shared;
  unsigned limitBlocks, limitRegisters, limitShared, limitWarps;
};

TEST(Occupancy, LimitsEqualTheMeasuredOnes) {
  const Measured launches[] = {
      {256, 8, 0, 32, 16, 32, 8},       // no shared memory: room for the next kernel's blocks all the same
      {64, 40, 0, 32, 24, 32, 32},      // registers leave whole warps unused in each sub-partition
      {99, 10, 0, 32, 32, 32, 16},      // a partial warp counts as a whole
      {256, 18, 0, 32, 10, 32, 8},      // 18 registers are handed out as 24
      {128, 10, 512, 32, 32, 42, 16},   // the carve-out is 64 KB
      {256, 16, 1024, 32, 16, 16, 8},   // 32 KB: twice the resident blocks just fit
      {256, 16, 1088, 32, 16, 30, 8},   // 64 KB: they do not, by 64 bytes a block
      {128, 16, 2560, 32, 32, 28, 16},  // 100 KB: 28 = 32 - 4 blocks are enough, though twice would be 32
      {128, 14, 3072, 32, 32, 33, 16},  // 132 KB
      {128, 32, 8192, 32, 16, 18, 16},  // 164 KB: beyond 132 KB only for the resident blocks
      {128, 14, 16896, 32, 32, 13, 16}, // 228 KB: there is no more
      {1024, 10, 3072, 32, 4, 2, 2},    // 8 KB: one block fills half the warps, no room for others
      {512, 69, 4096, 32, 1, 1, 4},     // 8 KB: a single resident block asks for no more
      {768, 10, 0, 32, 5, 8, 2},        {96, 10, 2560, 32, 42, 37, 21},
  };
  const Architecture &hopper = architecture("sm_90");
  for (const Measured &launch : launches) {
    const Occupancy occupancy = computeOccupancy(hopper, launch.threads, launch.registers, launch.shared);
    SCOPED_TRACE(testing::Message() << launch.threads << " threads, " << launch.registers << " registers, "
                                    << launch.shared << " bytes");
    EXPECT_EQ(occupancy.limitBlocks, launch.limitBlocks);
    EXPECT_EQ(occupancy.limitRegisters, launch.limitRegisters);
    EXPECT_EQ(occupancy.limitShared, launch.limitShared);
    EXPECT_EQ(occupancy.limitWarps, launch.limitWarps);
  }
}

TEST(Occupancy, CarveOutOfOtherArchitecturesIsAsPublished) {
  // Launches that users of these devices have shown: threads, registers, shared bytes, carve-out in KB.
  EXPECT_EQ(computeOccupancy(architecture("86"), 256, 16, 0).sharedConfigurationBytes, 8u * 1024);
  EXPECT_EQ(computeOccupancy(architecture("87"), 128, 16, 0).sharedConfigurationBytes, 16u * 1024);
  EXPECT_EQ(computeOccupancy(architecture("89"), 256, 36, 0).sharedConfigurationBytes, 16u * 1024);
  EXPECT_EQ(computeOccupancy(architecture("120"), 128, 40, 0).sharedConfigurationBytes, 32u * 1024);
  const Occupancy turing = computeOccupancy(architecture("75"), 256, 39, 2048);
  EXPECT_EQ(turing.sharedConfigurationBytes, 32u * 1024);
  EXPECT_EQ(turing.limitShared, 16u);
  EXPECT_EQ(turing.limitRegisters, 6u);
  EXPECT_EQ(turing.limitWarps, 4u);
}

TEST(Occupancy, NamesWhatLimits) {
  const Architecture &hopper = architecture("sm_90");
  const Occupancy registers = computeOccupancy(hopper, 256, 128, 0);
  EXPECT_EQ(registers.residentBlocks, 2u);
  EXPECT_EQ(registers.residentWarps, 16u);
  EXPECT_DOUBLE_EQ(registers.occupancy, 0.25);
  EXPECT_THAT(registers.limiters, ElementsAre(OccupancyLimit::Registers));

  const Occupancy shared = computeOccupancy(hopper, 128, 32, 100 * 1024);
  EXPECT_EQ(shared.residentBlocks, 2u);
  EXPECT_THAT(shared.limiters, ElementsAre(OccupancyLimit::Shared));

  EXPECT_THAT(computeOccupancy(hopper, 64, 32, 0).limiters,
              ElementsAre(OccupancyLimit::Blocks, OccupancyLimit::Registers, OccupancyLimit::Warps));
  EXPECT_THAT(computeOccupancy(hopper, 32, 16, 0, 16).limiters, ElementsAre(OccupancyLimit::Barriers));
}

TEST(Occupancy, CarveOutNeverNamesALimiter) {
  // In the chosen 32 KB there is room for 16 blocks, in the largest for many more: shared memory limits
  // nothing here.
  const Occupancy occupancy = computeOccupancy(architecture("sm_90"), 32, 16, 1);
  EXPECT_EQ(occupancy.residentBlocks, 32u);
  EXPECT_THAT(occupancy.limiters, ElementsAre(OccupancyLimit::Blocks));
}

TEST(Occupancy, LaunchThatCannotRunHasNoResidentBlocks) {
  const Architecture &hopper = architecture("sm_90");
  EXPECT_THAT(computeOccupancy(hopper, 1025, 16, 0).limiters, ElementsAre(OccupancyLimit::Warps));
  EXPECT_EQ(computeOccupancy(hopper, 1025, 16, 0).residentBlocks, 0u);
  EXPECT_THAT(computeOccupancy(hopper, 1024, 72, 0).limiters, ElementsAre(OccupancyLimit::Registers));
  EXPECT_THAT(computeOccupancy(hopper, 32, 256, 0).limiters, ElementsAre(OccupancyLimit::Registers));
  const Occupancy shared = computeOccupancy(hopper, 32, 16, 227 * 1024 + 1);
  EXPECT_EQ(shared.residentBlocks, 0u);
  EXPECT_EQ(shared.limitShared, 0u);
  EXPECT_THAT(shared.limiters, ElementsAre(OccupancyLimit::Shared));
  EXPECT_EQ(computeOccupancy(hopper, 32, 16, 227 * 1024).residentBlocks, 1u);
}

TEST(Occupancy, HugeSharedRequestDoesNotWrap) {
  EXPECT_EQ(computeOccupancy(architecture("sm_90"), 32, 16, UINT64_MAX - 8).residentBlocks, 0u);
}

} // namespace
