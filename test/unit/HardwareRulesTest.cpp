#include "analysis/simt/HardwareRules.h"

#include <gtest/gtest.h>

#include <functional>

using namespace warpwright::simt;

namespace {

LaneAddresses addressesOf(const std::function<uint64_t(unsigned)> &address) {
  LaneAddresses addresses;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    addresses[lane] = address(lane);
  return addresses;
}

LaneAddresses strided(uint64_t stride, uint64_t base = 0) {
  return addressesOf([&](unsigned lane) { return base + lane * stride; });
}

constexpr LaneMask lowHalf = 0x0000ffff;

TEST(Sectors, GrowWithTheStrideUntilEveryLaneHasItsOwn) {
  EXPECT_EQ(countSectors(strided(4), allLanes, 4), 4u); // 32 * 4 bytes / 32
  EXPECT_EQ(countSectors(strided(8), allLanes, 4), 8u); // 32 * 8 / 32
  EXPECT_EQ(countSectors(strided(12), allLanes, 4), 12u);
  EXPECT_EQ(countSectors(strided(32), allLanes, 4), 32u);
  EXPECT_EQ(countSectors(strided(132), allLanes, 4), 32u); // never more than lanes
}

TEST(Sectors, FollowTheWidth) {
  EXPECT_EQ(countSectors(strided(1), allLanes, 1), 1u);
  EXPECT_EQ(countSectors(strided(8), allLanes, 8), 8u);
  EXPECT_EQ(countSectors(strided(16), allLanes, 16), 16u);
  EXPECT_EQ(countSectors(strided(32), allLanes, 16), 32u); // half of each sector is wasted
}

TEST(Sectors, AMisalignedWarpTouchesOneMore) {
  EXPECT_EQ(countSectors(strided(4, 4), allLanes, 4), 5u);  // bytes 4..131
  EXPECT_EQ(countSectors(strided(4, 32), allLanes, 4), 4u); // a whole sector further is aligned again
  EXPECT_EQ(countSectors(strided(0, 30), allLanes, 4), 2u); // one word across a boundary
}

TEST(Sectors, OfLanesThatAreOnOnly) {
  EXPECT_EQ(countSectors(strided(4), lowHalf, 4), 2u); // 64 bytes
  EXPECT_EQ(countSectors(strided(4), 0x00000001, 4), 1u);
  EXPECT_EQ(countSectors(strided(4), 0x55555555, 4), 4u); // even lanes still span the row
  EXPECT_EQ(countSectors(strided(0), allLanes, 4), 1u);   // a broadcast
  EXPECT_EQ(countSectors(strided(4), 0, 4), 0u);
}

TEST(Footprint, CountsEachByteOnce) {
  EXPECT_EQ(footprintOf(strided(4), allLanes, 4).bytes, 128u);
  EXPECT_EQ(footprintOf(strided(0), allLanes, 4).bytes, 4u);
  EXPECT_EQ(footprintOf(strided(2), allLanes, 4).bytes, 66u);   // neighbours overlap by half
  EXPECT_EQ(footprintOf(strided(64), allLanes, 16).bytes, 512u);
  EXPECT_EQ(footprintOf(strided(4), 0, 4).bytes, 0u);
  EXPECT_EQ(footprintOf(strided(4), 0x55555555, 4).bytes, 64u);
}

TEST(Footprint, KnowsTheSectorsThatAsManyBytesFill) {
  EXPECT_EQ(footprintOf(strided(132), allLanes, 4).idealSectors(), 4u);
  EXPECT_EQ(footprintOf(strided(4), 0x00000001, 4).idealSectors(), 1u);
  EXPECT_EQ(footprintOf(strided(1), allLanes, 2).idealSectors(), 2u); // 33 bytes
}

TEST(Footprint, TellsARunFromBytesWithGaps) {
  EXPECT_TRUE(footprintOf(strided(4, 12), allLanes, 4).contiguous);
  EXPECT_TRUE(footprintOf(strided(uint64_t(-4), 4096), allLanes, 4).contiguous); // downwards
  EXPECT_TRUE(footprintOf(strided(0, 30), allLanes, 4).contiguous);              // one word
  EXPECT_FALSE(footprintOf(strided(8), allLanes, 4).contiguous);
  EXPECT_FALSE(footprintOf(strided(4), 0x00010001, 4).contiguous);
  EXPECT_FALSE(footprintOf(strided(4), 0, 4).contiguous);
}

void expectCost(SharedCost cost, unsigned wavefronts, unsigned conflicts) {
  EXPECT_EQ(cost.wavefronts, wavefronts);
  EXPECT_EQ(cost.conflicts, conflicts);
}

TEST(SharedCost, OfWordsIsTheFullestBank) {
  expectCost(costOfShared(strided(4), allLanes, 4, true), 1, 0);
  expectCost(costOfShared(strided(8), allLanes, 4, true), 2,
             1); // stride 2 words: lanes l and l+16 share a bank
  expectCost(costOfShared(strided(12), allLanes, 4, true), 1, 0);    // 3 is odd: a permutation of the banks
  expectCost(costOfShared(strided(128), allLanes, 4, true), 32, 31); // all in bank 0
  expectCost(costOfShared(strided(132), allLanes, 4, true), 1, 0);   // one word of padding a row
}

TEST(SharedCost, BroadcastsEqualWords) {
  expectCost(costOfShared(strided(0), allLanes, 4, true), 1, 0);
  expectCost(costOfShared(strided(1), allLanes, 1, true), 1, 0); // four lanes in each of eight words
  LaneAddresses two = addressesOf([](unsigned lane) { return lane % 2 * 128; });
  expectCost(costOfShared(two, allLanes, 4, true), 2, 1); // two words of bank 0
}

TEST(SharedCost, OfLanesThatAreOnOnly) {
  expectCost(costOfShared(strided(128), lowHalf, 4, true), 16, 15);
  expectCost(costOfShared(strided(128), 0, 4, true), 0, 0);
}

TEST(SharedCost, OfEightBytesIsTwoHalves) {
  expectCost(costOfShared(strided(8), allLanes, 8, true), 2, 0);
  expectCost(costOfShared(strided(8), allLanes, 8, false), 2, 0);
  expectCost(costOfShared(strided(16), allLanes, 8, true), 4,
             2); // 16 lanes * 16 bytes wrap the banks once in a half
  expectCost(costOfShared(strided(8), lowHalf, 8, true), 1, 0); // the other half is off and takes no pass
}

TEST(SharedCost, OfSixteenBytesIsFourQuarters) {
  expectCost(costOfShared(strided(16), allLanes, 16, true), 4, 0);
  expectCost(costOfShared(strided(16), allLanes, 16, false), 4, 0);
  expectCost(costOfShared(strided(128), allLanes, 16, true), 32,
             28); // 8 lanes of a quarter in the same four banks
  expectCost(costOfShared(strided(16), 0x000000ff, 16, true), 1, 0);
}

TEST(SharedCost, WideLoadsJoinGroupsWherePartnersAgree) {
  expectCost(costOfShared(strided(0), allLanes, 8, true), 1, 0);  // both halves in one pass
  expectCost(costOfShared(strided(0), allLanes, 16, true), 2, 0); // quarters in pairs
  LaneAddresses neighbours = addressesOf([](unsigned lane) { return lane / 2 * 8; });
  expectCost(costOfShared(neighbours, allLanes, 8, true), 1, 0); // lanes 2i and 2i+1
  LaneAddresses alternate = addressesOf([](unsigned lane) { return (lane / 4 * 2 + lane % 2) * 8; });
  expectCost(costOfShared(alternate, allLanes, 8, true), 1, 0); // lanes i and i+2
  LaneAddresses fours = addressesOf([](unsigned lane) { return lane % 16 * 8; });
  expectCost(costOfShared(fours, allLanes, 8, true), 2, 0); // equal halves do not join
}

TEST(SharedCost, WideStoresNeverJoin) {
  expectCost(costOfShared(strided(0), allLanes, 8, false), 2, 0);
  expectCost(costOfShared(strided(0), allLanes, 16, false), 4, 0);
}

} // namespace
