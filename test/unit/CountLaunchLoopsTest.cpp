#include "test/unit/CountLaunchFixture.h"

using namespace warpwright;
using namespace warpwright::simt;

namespace {

TEST_F(CountLaunch, LanesLeaveALoopOneByOne) {
  parse(gridLoop);
  LaunchCounters counters = count(launchOf({1, 1, 1}, {64, 1, 1}, {{"n", 100}}));
  AccessTally store = counters.total(AccessKind::Store, AccessSpace::Global);
  // 0..31, 32..63, 64..95 whole, 96..99 by four lanes
  EXPECT_EQ(store.requests, 4u);
  EXPECT_EQ(store.lanes, 100u);
  EXPECT_EQ(store.sectors, 4u + 4 + 4 + 1);
}

TEST_F(CountLaunch, SamplesLargeLaunchesAndSaysSo) {
  parse(gridLoop);
  Launch launch = launchOf({4096, 512, 1}, {256, 1, 1}, {{"n", 6400}});
  LaunchCounters counters = count(launch);
  EXPECT_EQ(counters.grade, CountGrade::Estimated);
  EXPECT_EQ(counters.reason.rfind("sampled: ", 0), 0u) << counters.reason;
  // All blocks do the same: warps w of 8 start at 32 w and go on by 64.
  uint64_t requests = 0;
  for (unsigned warp = 0; warp < 8; ++warp)
    requests += (6400 - 32 * warp + 63) / 64;
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).requests, requests * 4096 * 512);
  EXPECT_LT(counters.steps, 1'000'000u);
}

TEST_F(CountLaunch, SkipsIterationsThatOnlyRepeatWhatWasCounted) {
  parse(gridLoop);
  for (int64_t n : {40'000, 1'000'000'007}) {
    LaunchCounters counters = count(launchOf({1, 1, 1}, {64, 1, 1}, {{"n", n}}));
    AccessTally store = counters.total(AccessKind::Store, AccessSpace::Global);
    EXPECT_EQ(store.lanes, static_cast<uint64_t>(n));
    EXPECT_EQ(store.sectors, static_cast<uint64_t>(n + 7) / 8); // every float once, eight a sector
    EXPECT_EQ(store.requests, static_cast<uint64_t>(n + 31) / 32);
    EXPECT_EQ(store.distinctBytes, static_cast<uint64_t>(n) * 4);
    EXPECT_EQ(store.idealSectors, store.sectors);
    EXPECT_EQ(counters.grade, CountGrade::Exact); // every warp moves on by whole sectors
    EXPECT_LT(counters.steps, 2'000u);
  }
}

/// for (i = 1; i; i = next(i)) out[i & 1023] = 1, where next is a shift register: nothing about it is
/// regular.
constexpr const char *irregularLoop = R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %low = and i32 %i, 1023
  %p = getelementptr float, ptr addrspace(1) %out, i32 %low
  store float 1.0, ptr addrspace(1) %p, align 4
  %half = lshr i32 %i, 1
  %bit = and i32 %i, 1
  %all = sub i32 0, %bit
  %taps = and i32 %all, -2097151999
  %next = xor i32 %half, %taps
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
})";

TEST_F(CountLaunch, GivesUpOnALoopThatIsTooLong) {
  parse(irregularLoop);
  SimtOptions options;
  options.stepBudget = 100'000;
  LaunchCounters counters = count(launchOf({1, 1, 1}, {64, 1, 1}), options);
  EXPECT_EQ(counters.grade, CountGrade::Unknown);
  EXPECT_EQ(counters.reason.rfind("stopped after ", 0), 0u) << counters.reason;
}

/// if (x < n && y < n) out[y * n + x] = 1, blocks of 32 by 8
TEST_F(CountLaunch, SamplesEqualAFullCountWhereGuardsCutTheEdges) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %x0 = mul i32 %bx, 32
  %x = add i32 %x0, %tx
  %y0 = mul i32 %by, 8
  %y = add i32 %y0, %ty
  %cx = icmp slt i32 %x, %n
  %cy = icmp slt i32 %y, %n
  %c = and i1 %cx, %cy
  br i1 %c, label %then, label %exit
then:
  %row = mul i32 %y, %n
  %i = add i32 %row, %x
  %p = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %exit
exit:
  ret void
})");
  Launch launch = launchOf({32, 125, 1}, {32, 8, 1}, {{"n", 1000}});
  SimtOptions whole;
  whole.stepBudget = 10'000'000;
  LaunchCounters exact = count(launch, whole);
  SimtOptions small;
  small.stepBudget = 50'000;
  LaunchCounters sampled = count(launch, small);
  EXPECT_EQ(exact.grade, CountGrade::Exact);
  EXPECT_EQ(sampled.grade, CountGrade::Estimated);
  EXPECT_EQ(sampled.total(AccessKind::Store, AccessSpace::Global),
            exact.total(AccessKind::Store, AccessSpace::Global));
  EXPECT_EQ(exact.total(AccessKind::Store, AccessSpace::Global).lanes, 1000u * 1000);
}

/// for (i = 0; i < n; ++i) out[i + tid] = 1
TEST_F(CountLaunch, AWindowThatShiftsRepeatsOnceItHasMovedByASector) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = add i32 %i, %tid
  %p = getelementptr float, ptr addrspace(1) %out, i32 %x
  store float 1.0, ptr addrspace(1) %p, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"n", 80'003}}));
  AccessTally store = counters.total(AccessKind::Store, AccessSpace::Global);
  EXPECT_EQ(store.requests, 80'003u);
  EXPECT_EQ(store.sectors, 10'000u * (4 + 7 * 5) + 4 + 5 + 5); // one of eight starts with a sector
  EXPECT_EQ(counters.grade, CountGrade::Exact);
  EXPECT_LT(counters.steps, 500u);
}

/// for (i = 0; i < n; ++i) { for (j = 0; j < 16; ++j) out[i * 1024 + j * 32 + tid] = 1; barrier }
/// and after 5000 rounds another array
TEST_F(CountLaunch, RoundsOfANestedLoopStandForOthersUntilAGuardChanges) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %late, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %row = mul i32 %i, 1024
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %column = mul i32 %j, 32
  %a = add i32 %row, %column
  %b = add i32 %a, %tid
  %p = getelementptr float, ptr addrspace(1) %out, i32 %b
  store float 1.0, ptr addrspace(1) %p, align 4
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, 16
  br i1 %j.more, label %inner, label %guard
guard:
  %isLate = icmp sge i32 %i, 5000
  br i1 %isLate, label %then, label %latch
then:
  %c = mul i32 %tid, 8
  %q = getelementptr float, ptr addrspace(1) %late, i32 %c
  store float 1.0, ptr addrspace(1) %q, align 4
  br label %latch
latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %outer, label %exit
exit:
  ret void
})");
  LaunchCounters counters = count(launchOf({400, 1, 1}, {64, 1, 1}, {{"n", 20'000}}));
  AccessTally store = counters.total(AccessKind::Store, AccessSpace::Global);
  uint64_t warps = 2 * 400;
  EXPECT_EQ(store.requests, warps * (20'000u * 16 + 15'000));
  EXPECT_EQ(store.sectors, warps * (20'000u * 16 * 4 + 15'000 * 32));
  EXPECT_LT(counters.steps, 100'000u);
}

/// for (i = 0; i < n; ++i) out[i * tid] = 1
TEST_F(CountLaunch, LanesThatDriftApartAreFollowed) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = mul i32 %i, %tid
  %p = getelementptr float, ptr addrspace(1) %out, i32 %x
  store float 1.0, ptr addrspace(1) %p, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
})");
  uint64_t sectors = 0;
  for (unsigned i = 0; i < 200; ++i)
    sectors += i == 0 ? 1 : i < 8 ? 31 * i / 8 + 1 : 32;
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"n", 200}}));
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, sectors);
  EXPECT_GT(counters.steps, 1'000u);
}

/// for (i = 0; i < n; ++i) { s[tid] = i & 7; out[s[tid] * tid] = 1; }
TEST_F(CountLaunch, WhatIsReadBackFromMemoryIsFollowed) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = getelementptr i32, ptr addrspace(3) @s, i32 %tid
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %low = and i32 %i, 7
  store i32 %low, ptr addrspace(3) %s, align 4
  %back = load i32, ptr addrspace(3) %s, align 4
  %x = mul i32 %back, %tid
  %p = getelementptr float, ptr addrspace(1) %out, i32 %x
  store float 1.0, ptr addrspace(1) %p, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
})");
  uint64_t sectors = 0;
  for (unsigned i = 0; i < 400; ++i)
    sectors += 31 * (i & 7) / 8 + 1;
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"n", 400}}));
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, sectors);
  EXPECT_EQ(counters.grade, CountGrade::Exact);
}

/// for (i = 0; i < n; ++i) out[i * 32 + {0, 8, 16, 24}[i0]] = 1, the last value of the function an element
TEST_F(CountLaunch, AnElementOfAVectorIsOneValue) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n, i32 %which) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add i32 %i, 1
  %row = mul i32 %i, 32
  br label %latch
latch:
  %more = icmp slt i32 %next, %n
  %x0 = add i32 %row, 0
  %element = extractelement <8 x i32> <i32 0, i32 8, i32 16, i32 24, i32 1, i32 9, i32 17, i32 25>, i32 %which
  %x = add i32 %x0, %element
  %p = getelementptr float, ptr addrspace(1) %out, i32 %x
  store float 1.0, ptr addrspace(1) %p, align 4
  br i1 %more, label %loop, label %exit
exit:
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"n", 9'000}, {"which", 2}}));
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, 9'000u);
  EXPECT_EQ(counters.grade, CountGrade::Exact);
  EXPECT_LT(counters.steps, 200u);
}

/// Column pairs of a matrix in 16 by 16 blocks, with a neighbour: where a pair begins with a sector it takes
/// one more, and only the middle of a block's warps does.
TEST_F(CountLaunch, SamplesFindThatWarpsInTheMiddleDiffer) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %in, i32 %n) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %x0 = mul i32 %bx, 16
  %x = add i32 %x0, %tx
  %row = mul i32 %x, %n
  %c = add i32 %ty, 1023
  %i = add i32 %row, %c
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
})");
  LaunchCounters counters = count(launchOf({1'000'000, 1, 1}, {16, 16, 1}, {{"n", 8192}}));
  // Columns -1 and 0, 1 and 2, ..., 13 and 14 of a line: two warps of eight straddle a sector.
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, 1'000'000u * (6 * 16 + 2 * 32));
  EXPECT_LT(counters.steps, 10'000u);
}

} // namespace
