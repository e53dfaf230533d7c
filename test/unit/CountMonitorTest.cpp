#include "WatchedBlocks.h"

#include "feedback/evaluators/virtual/counters/ConvergenceMarks.h"

#include <gmock/gmock.h>

using namespace warpwright;
using namespace warpwright::vdevice;
using testing::SizeIs;

static simt::AccessTally total(WatchedBlocks &blocks, simt::AccessKind kind, simt::AccessSpace space) {
  return blocks.watch->counters().total(kind, space);
}

TEST(CountMonitor, MakesOneRequestOfEachWarpsVisits) {
  WatchedBlocks blocks;
  uint32_t load = blocks.load();
  uint64_t a = blocks.buffer("a", 4096);
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 0; thread < 64; ++thread)
    for (uint32_t i = 0; i < 3; ++i)
      blocks.touch(load, thread, a + 4 * thread + 256 * i);
  blocks.end();
  simt::AccessTally tally = total(blocks, simt::AccessKind::Load, simt::AccessSpace::Global);
  EXPECT_EQ(tally.requests, 6u);
  EXPECT_EQ(tally.sectors, 24u);
  EXPECT_EQ(tally.lanes, 192u);
  EXPECT_EQ(blocks.watch->counters().grade, simt::CountGrade::Exact);
}

TEST(CountMonitor, CountsSharedConflictsAndAtomicsOnOneAddress) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), atomic = blocks.atomic();
  uint64_t sum = blocks.buffer("sum", 4);
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 0; thread < 32; ++thread) {
    blocks.touch(store, thread, blocks.shared(4 * thread));
    blocks.touch(atomic, thread, thread < 24 ? sum : blocks.dynamic(4 * thread));
  }
  blocks.end();
  EXPECT_EQ(total(blocks, simt::AccessKind::Store, simt::AccessSpace::Shared).wavefronts, 1u);
  simt::AccessTally atomics = total(blocks, simt::AccessKind::Atomic, simt::AccessSpace::Global);
  EXPECT_EQ(atomics.sameAddressLanes, 24u);
  EXPECT_EQ(atomics.requests, 1u);
  EXPECT_EQ(total(blocks, simt::AccessKind::Atomic, simt::AccessSpace::Shared).sameAddressLanes, 1u);
}

TEST(CountMonitor, AddsUpWorkers) {
  WatchedBlocks blocks;
  uint32_t load = blocks.load();
  uint64_t a = blocks.buffer("a", 4096);
  blocks.start(2);
  for (uint64_t block : {0, 1, 2}) {
    blocks.begin(block, block % 2);
    for (uint32_t thread = 0; thread < 64; ++thread)
      blocks.touch(load, thread, a + 4 * thread);
    blocks.end();
  }
  EXPECT_EQ(total(blocks, simt::AccessKind::Load, simt::AccessSpace::Global).requests, 6u);
  EXPECT_THAT(blocks.watch->counters().accesses, SizeIs(1));
}

/// Even lanes make the access in even iterations, odd lanes in odd ones: the hardware makes one request an
/// iteration.
TEST(CountMonitor, KnowsIterationsOfLoopsApart) {
  ConvergenceMarks marks;
  marks.loopParent = {ConvergenceMarks::none};
  marks.siteLoop = {0};
  marks.siteGuard = {ConvergenceMarks::none};
  WatchedBlocks blocks;
  blocks.marks = &marks;
  uint32_t load = blocks.load();
  uint64_t a = blocks.buffer("a", 4096);
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 0; thread < 32; ++thread)
    for (uint32_t i = 0; i < 40; ++i) {
      blocks.monitor().iteration(thread, 0, i == 0);
      if (i % 2 == thread % 2)
        blocks.touch(load, thread, a + 4 * thread);
    }
  blocks.end();
  EXPECT_EQ(total(blocks, simt::AccessKind::Load, simt::AccessSpace::Global).requests, 40u);
}

TEST(CountMonitor, KnowsInnerIterationsOfDifferentOuterOnesApart) {
  ConvergenceMarks marks;
  marks.loopParent = {ConvergenceMarks::none, 0};
  marks.siteLoop = {1};
  marks.siteGuard = {ConvergenceMarks::none};
  WatchedBlocks blocks;
  blocks.marks = &marks;
  uint32_t load = blocks.load();
  uint64_t a = blocks.buffer("a", 4096);
  blocks.start();
  blocks.begin(0);
  // Lane l makes l + 1 inner iterations in the first outer one, and one in the second.
  for (uint32_t thread = 0; thread < 32; ++thread)
    for (uint32_t outer = 0; outer < 2; ++outer) {
      blocks.monitor().iteration(thread, 0, outer == 0);
      for (uint32_t inner = 0; inner < (outer ? 1 : thread + 1); ++inner) {
        blocks.monitor().iteration(thread, 1, inner == 0);
        blocks.touch(load, thread, a + 4 * thread);
      }
    }
  blocks.end();
  EXPECT_EQ(total(blocks, simt::AccessKind::Load, simt::AccessSpace::Global).requests, 33u);
}

/// A guard is told of once for all accesses under it, and whoever leaves one out issues it all the same.
TEST(CountMonitor, CountsAllInstructionsUnderAGuard) {
  ConvergenceMarks marks;
  marks.siteLoop = {ConvergenceMarks::none, ConvergenceMarks::none, ConvergenceMarks::none};
  marks.siteGuard = {0, 0, 0};
  WatchedBlocks blocks;
  blocks.marks = &marks;
  uint32_t first = blocks.site(simt::AccessKind::Store, 4, /*addressSpace=*/3);
  uint32_t second = blocks.site(simt::AccessKind::Store, 4, /*addressSpace=*/3);
  blocks.site(simt::AccessKind::Store, 4, /*addressSpace=*/3); // never made
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 0; thread < 64; ++thread)
    for (uint32_t i = 0; i < 3; ++i) {
      blocks.monitor().reached(thread, first);
      if (thread < 16 && i != 1)
        blocks.touch(first, thread, blocks.shared(4 * thread));
      if (thread < 40 && i == 1)
        blocks.touch(second, thread, blocks.shared(4 * thread));
    }
  blocks.end();
  simt::AccessTally tally = total(blocks, simt::AccessKind::Store, simt::AccessSpace::Shared);
  EXPECT_EQ(tally.instructions, 18u);
  EXPECT_EQ(tally.requests, 4u);
  EXPECT_EQ(tally.lanes, 72u);
}

TEST(CountMonitor, CountsPredicatedInstructionsWithoutLanes) {
  ConvergenceMarks marks;
  marks.siteLoop = {ConvergenceMarks::none};
  marks.siteGuard = {0};
  WatchedBlocks blocks;
  blocks.marks = &marks;
  uint32_t store = blocks.site(simt::AccessKind::Store, 4, /*addressSpace=*/3);
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 0; thread < 64; ++thread)
    for (uint32_t i = 0; i < 2; ++i) {
      blocks.monitor().reached(thread, store);
      if (thread < 16)
        blocks.touch(store, thread, blocks.shared(4 * thread));
    }
  blocks.end();
  simt::AccessTally tally = total(blocks, simt::AccessKind::Store, simt::AccessSpace::Shared);
  EXPECT_EQ(tally.instructions, 4u);
  EXPECT_EQ(tally.requests, 2u);
}
