#include "WatchedBlocks.h"
#include "feedback/evaluators/virtual/checks/BlockClocks.h"

#include <gmock/gmock.h>

using namespace warpwright;
using namespace warpwright::vdevice;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(CheckMonitor, RedirectsAndReportsAccessesPastTheEnd) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store();
  uint64_t c = blocks.buffer("c", 4096);
  blocks.start();
  blocks.begin(1);
  EXPECT_EQ(blocks.touch(store, 3, c + 4092), c + 4092);
  EXPECT_NE(blocks.touch(store, 3, c + 4096), c + 4096);
  blocks.end();
  EXPECT_EQ(text(blocks.watch->faults()),
            "k.cu:1:1: error: thread (3,0,0) of block (1,0,0) writes 4 bytes at c[1024], "
            "0 bytes past the end (1024 elements) [out-of-bounds]\n");
}

TEST(CheckMonitor, SaysHowFarOutsideAnAccessIs) {
  WatchedBlocks blocks;
  uint32_t loads[] = {blocks.load(), blocks.load(8), blocks.load(), blocks.load()};
  uint64_t a = blocks.buffer("a", 100);
  blocks.start();
  blocks.begin(0);
  blocks.touch(loads[0], 0, a - 4);
  blocks.touch(loads[1], 0, a + 96);
  blocks.touch(loads[2], 0, 16);
  blocks.touch(loads[3], 0, uint64_t(1) << 40);
  blocks.end();
  std::string faults = text(blocks.watch->faults());
  EXPECT_THAT(faults, HasSubstr("reads 4 bytes at a[-1], 4 bytes before its begin (25 elements)"));
  EXPECT_THAT(faults, HasSubstr("reads 8 bytes at a[24], reaching past the end (25 elements)"));
  EXPECT_THAT(faults, HasSubstr("reads 4 bytes at a null pointer [out-of-bounds]"));
  EXPECT_THAT(faults, HasSubstr("reads 4 bytes at an address that belongs to nothing [out-of-bounds]"));
}

TEST(CheckMonitor, KnowsTheBoundsOfEachSharedArrayAndLocal) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store();
  uint32_t beyond[] = {blocks.store(), blocks.store(), blocks.store()};
  blocks.start();
  blocks.begin(0);
  blocks.touch(store, 0, blocks.shared(124));
  blocks.touch(store, 0, blocks.dynamic(252));
  blocks.touch(store, 5, blocks.local(5, 60));
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.touch(beyond[0], 0, blocks.shared(128));
  blocks.touch(beyond[1], 0, blocks.dynamic(256));
  blocks.touch(beyond[2], 5, blocks.local(5, 64));
  blocks.end();
  std::string faults = text(blocks.watch->faults());
  EXPECT_THAT(faults, HasSubstr("byte 128 of tile, 0 bytes past the end (128 bytes)"));
  EXPECT_THAT(faults, HasSubstr("byte 256 of dynamic shared memory, 0 bytes past the end (256 bytes)"));
  EXPECT_THAT(faults, HasSubstr("byte 64 of list, 0 bytes past the end (64 bytes)"));
}

TEST(CheckMonitor, ReportsMisalignedAccesses) {
  WatchedBlocks blocks;
  uint32_t load = blocks.load(16);
  uint64_t a = blocks.buffer("a", 256);
  blocks.start();
  blocks.begin(0);
  EXPECT_EQ(blocks.touch(load, 0, a + 16), a + 16);
  EXPECT_NE(blocks.touch(load, 1, a + 24), a + 24);
  blocks.end();
  EXPECT_THAT(
      text(blocks.watch->faults()),
      HasSubstr("thread (1,0,0) of block (0,0,0) reads 16 bytes at a[6], an address that is no multiple "
                "of 16 [misaligned-access]"));
}

TEST(CheckMonitor, ReportsReadsOfSharedBytesThatTheBlockDidNotWrite) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  blocks.begin(0);
  blocks.touch(store, 0, blocks.shared(0));
  blocks.barrier();
  blocks.touch(load, 1, blocks.shared(0));
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.end();
  blocks.begin(1); // what the block before wrote does not count
  blocks.touch(load, 1, blocks.shared(0));
  blocks.end();
  EXPECT_EQ(
      text(blocks.watch->faults()),
      "k.cu:2:1: error: thread (1,0,0) of block (1,0,0) reads 4 bytes at byte 0 of tile, which no thread of "
      "the block has written [uninitialised-read]\n");
}

TEST(CheckMonitor, FollowsUninitialisedBuffersAndLocals) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load(), late = blocks.load();
  uint64_t out = blocks.buffer("out", 64, /*initialised=*/false);
  blocks.start();
  blocks.begin(0);
  blocks.touch(store, 0, out);
  blocks.touch(load, 0, out);
  blocks.touch(store, 0, blocks.local(0, 8));
  blocks.touch(load, 0, blocks.local(0, 8));
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.touch(load, 0, out + 4);
  blocks.touch(late, 1, blocks.local(1, 8));
  blocks.end();
  std::string faults = text(blocks.watch->faults());
  EXPECT_THAT(faults, HasSubstr("reads 4 bytes at out[1], which nobody has written"));
  EXPECT_THAT(faults, HasSubstr("reads 4 bytes at byte 8 of list, which the thread has not written"));
}

TEST(CheckMonitor, FindsRacesThatNoBarrierOrders) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  blocks.begin(0);
  blocks.write(store, 0, blocks.shared(0), 7);
  blocks.touch(load, 40, blocks.shared(0));
  blocks.end();
  EXPECT_EQ(
      text(blocks.watch->faults()),
      "k.cu:2:1: error: thread (40,0,0) of block (0,0,0) reads 4 bytes at byte 0 of tile, which another "
      "thread touches, and no barrier orders the two [shared-race]\n"
      "k.cu:1:1: note: thread (0,0,0) of block (0,0,0) writes it\n");
}

TEST(CheckMonitor, SaysThatLanesDoNotRunInLockstep) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  blocks.begin(0);
  blocks.write(store, 0, blocks.shared(0), 7);
  blocks.touch(load, 31, blocks.shared(0));
  blocks.end();
  EXPECT_THAT(text(blocks.watch->faults()),
              HasSubstr("which another lane of the warp touches, and nothing orders the two: lanes "
                        "have not run in lockstep since Volta [shared-race]"));
}

TEST(CheckMonitor, FindsWritesAfterReadsOfOthersThanTheWriter) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  blocks.begin(0);
  blocks.write(store, 0, blocks.shared(0), 7);
  blocks.barrier();
  for (uint32_t thread : {0, 1, 33, 2, 0})
    blocks.touch(load, thread, blocks.shared(0));
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.write(store, 0, blocks.shared(0), 8);
  blocks.end();
  EXPECT_THAT(text(blocks.watch->faults()),
              HasSubstr("writes 4 bytes at byte 0 of tile, which another thread"));
}

TEST(CheckMonitor, KnowsBytesOfAWordApart) {
  WatchedBlocks blocks;
  uint32_t byteStore = blocks.store(1), store = blocks.store(), byteLoad = blocks.load(1);
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 0; thread < 64; ++thread)
    blocks.touch(byteStore, thread, blocks.shared(thread));
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.touch(byteLoad, 9, blocks.shared(8));
  EXPECT_THAT(blocks.watch->faults(), SizeIs(1));
  blocks.barrier();
  blocks.touch(store, 0, blocks.shared(64));
  blocks.touch(byteStore, 1, blocks.shared(66));
  blocks.end();
  EXPECT_THAT(blocks.watch->faults(), SizeIs(2));
}

TEST(CheckMonitor, TakesSynchronisationOfWarpsAndTheirParts) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  blocks.begin(0);
  blocks.write(store, 0, blocks.shared(0), 7);
  blocks.monitor().warpSync(0, ~0u);
  blocks.touch(load, 1, blocks.shared(0));
  blocks.monitor().warpSync(0, 0b110);
  blocks.write(store, 2, blocks.shared(0), 7);
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.touch(load, 3, blocks.shared(0)); // takes no part in the second
  EXPECT_THAT(blocks.watch->faults(), SizeIs(1));
  blocks.touch(load, 32, blocks.shared(0)); // nor does the other warp
  blocks.end();
  EXPECT_EQ(blocks.watch->faults()[0].occurrences, 2u);
}

TEST(CheckMonitor, CountsReturnedThreadsAsArrived) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  blocks.begin(0);
  for (uint32_t thread = 1; thread < 64; ++thread) {
    blocks.write(store, thread, blocks.shared(4 * (thread % 32)), 7);
    blocks.monitor().threadEnd(thread);
    if (thread == 31)
      thread = 32 + 31;
  }
  blocks.begin(1);
  blocks.write(store, 63, blocks.shared(0), 7);
  for (uint32_t thread = 1; thread < 64; ++thread)
    blocks.monitor().threadEnd(thread);
  blocks.monitor().barrier({0});
  blocks.touch(load, 0, blocks.shared(0));
  blocks.end();
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
}

TEST(CheckMonitor, OrdersNamedBarriersOfSomeWarpsOnly) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), load = blocks.load();
  blocks.start();
  std::vector<uint32_t> firstWarp(32);
  std::iota(firstWarp.begin(), firstWarp.end(), 0);
  blocks.begin(0);
  blocks.write(store, 0, blocks.shared(0), 7);
  blocks.monitor().barrier(firstWarp);
  blocks.touch(load, 31, blocks.shared(0));
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.touch(load, 32, blocks.shared(0));
  blocks.end();
  EXPECT_THAT(blocks.watch->faults(), SizeIs(1));
}

TEST(CheckMonitor, LetsAtomicsMeet) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), atomic = blocks.atomic(), load = blocks.load();
  uint64_t sum = blocks.buffer("sum", 4);
  blocks.start();
  blocks.begin(0);
  blocks.write(store, 0, blocks.shared(0), 0);
  blocks.barrier();
  for (uint32_t thread = 0; thread < 64; ++thread) {
    blocks.touch(atomic, thread, blocks.shared(0));
    blocks.touch(atomic, thread, sum);
  }
  blocks.end();
  blocks.begin(1);
  blocks.touch(atomic, 0, sum);
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.write(store, 0, blocks.shared(0), 0);
  blocks.touch(atomic, 9, blocks.shared(0));
  blocks.touch(load, 10, blocks.shared(0));
  blocks.end();
  EXPECT_THAT(blocks.watch->faults(), SizeIs(2));
}

TEST(CheckMonitor, NotesWritesOfTheSameValue) {
  WatchedBlocks blocks;
  uint32_t flag = blocks.store(), other = blocks.store();
  uint64_t changed = blocks.buffer("changed", 8);
  blocks.start();
  for (uint64_t block : {0, 1}) {
    blocks.begin(block);
    blocks.write(flag, 0, blocks.shared(0), 1);
    blocks.write(flag, 1, blocks.shared(0), 1);
    blocks.write(flag, 0, changed, 1);
    blocks.end();
  }
  EXPECT_TRUE(isClean(blocks.watch->faults()));
  EXPECT_THAT(blocks.watch->faults(), SizeIs(2));
  blocks.begin(2);
  blocks.write(other, 0, blocks.shared(0), 2);
  blocks.write(other, 1, blocks.shared(0), 3);
  blocks.write(other, 0, changed, 3);
  blocks.end();
  EXPECT_FALSE(isClean(blocks.watch->faults()));
}

TEST(CheckMonitor, TakesZerosOfUnfilledMemoryForNoAgreement) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store();
  uint64_t out = blocks.buffer("out", 4);
  blocks.start();
  for (uint64_t block : {0, 1}) {
    blocks.begin(block);
    blocks.write(store, 0, out, 0);
    blocks.end();
  }
  EXPECT_FALSE(isClean(blocks.watch->faults()));
}

TEST(CheckMonitor, FindsRacesOfBlocksWhateverTheOrder) {
  std::string expected =
      "k.cu:1:1: error: thread (5,0,0) of block (3,0,0) writes 4 bytes at out[2], which another "
      "block touches, and nothing orders the two [block-race]\n"
      "k.cu:2:1: note: thread (6,0,0) of block (1,0,0) reads it\n";
  for (bool reversed : {false, true}) {
    WatchedBlocks blocks;
    uint32_t store = blocks.store(), load = blocks.load();
    uint64_t out = blocks.buffer("out", 64);
    blocks.start(2);
    for (uint64_t i = 0; i < 4; ++i) {
      uint64_t block = reversed ? 3 - i : i;
      blocks.begin(block, i % 2);
      blocks.touch(load, 7, out + 32);
      if (block == 3)
        blocks.touch(store, 5, out + 8);
      if (block == 1 || block == 2)
        blocks.touch(load, 6, out + 8);
      blocks.end();
    }
    EXPECT_EQ(text(blocks.watch->faults()), expected);
  }
}

TEST(CheckMonitor, NotesPlainReadsOfWhatOtherBlocksUpdate) {
  WatchedBlocks blocks;
  uint32_t atomic = blocks.atomic(), load = blocks.load();
  uint64_t out = blocks.buffer("out", 64);
  blocks.start();
  blocks.begin(0);
  blocks.touch(atomic, 0, out);
  blocks.touch(atomic, 0, out + 4);
  blocks.touch(load, 1, out + 8);
  blocks.end();
  blocks.begin(1);
  blocks.touch(load, 2, out);
  blocks.touch(atomic, 3, out + 4);
  blocks.touch(load, 1, out + 8);
  blocks.end();
  std::vector<Fault> faults = blocks.watch->faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(isClean(faults));
  EXPECT_EQ(faults[0].memory->offset, 0);
}

TEST(BlockClocks, LocksOrderThoseWhoHeldThem) {
  BlockClocks clocks;
  clocks.beginBlock(64);
  BlockClocks::Lock lock, other;
  Stamp before(clocks.now(0), 0, 1, false);
  clocks.meet(lock, 0);
  Stamp after(clocks.now(0), 0, 1, false);
  clocks.meet(other, 40);
  EXPECT_FALSE(clocks.isOrdered(before, 40));
  clocks.meet(lock, 40);
  EXPECT_TRUE(clocks.isOrdered(before, 40));
  EXPECT_FALSE(clocks.isOrdered(after, 40));
}

TEST(CheckMonitor, KeepsNeighbouringBytesOfBlocksApart) {
  WatchedBlocks blocks;
  uint32_t byte = blocks.store(1), word = blocks.store();
  uint64_t out = blocks.buffer("out", 64);
  blocks.start();
  for (uint64_t block = 0; block < 8; ++block) {
    blocks.begin(block);
    blocks.touch(byte, 0, out + block);
    blocks.end();
  }
  EXPECT_THAT(blocks.watch->faults(), IsEmpty());
  blocks.begin(1);
  blocks.touch(word, 0, out + 4);
  blocks.end();
  EXPECT_THAT(blocks.watch->faults(), Not(IsEmpty()));
}

/// The last block to arrive sums up what all blocks wrote: each fences between writing and announcing itself.
static std::vector<Fault> lastBlockSums(bool fences, bool waits) {
  WatchedBlocks blocks;
  uint32_t store = blocks.store(), atomic = blocks.atomic(), load = blocks.load();
  uint64_t partial = blocks.buffer("partial", 16), counter = blocks.buffer("counter", 4);
  blocks.start();
  for (uint64_t block = 0; block < 4; ++block) {
    blocks.begin(block);
    blocks.write(store, 0, partial + 4 * block, 7 + static_cast<uint32_t>(block));
    if (fences)
      blocks.monitor().fence(0);
    blocks.touch(atomic, 0, counter);
    for (uint64_t other = 0; (block == 3 || !waits) && other < 4; ++other)
      blocks.touch(load, 0, partial + 4 * other);
    blocks.end();
  }
  return blocks.watch->faults();
}

TEST(CheckMonitor, UnderstandsBlocksThatAnnounceTheirWrites) {
  EXPECT_THAT(lastBlockSums(/*fences=*/true, /*waits=*/true), IsEmpty());
  EXPECT_FALSE(isClean(lastBlockSums(/*fences=*/false, /*waits=*/true)));
  EXPECT_FALSE(isClean(lastBlockSums(/*fences=*/true, /*waits=*/false)));
}
