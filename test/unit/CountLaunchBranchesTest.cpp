#include "test/unit/CountLaunchFixture.h"

using namespace warpwright;
using namespace warpwright::simt;

namespace {

/// if (tid < n) s[tid * 32] = 1; s[tid] = 2
TEST_F(CountLaunch, CountsBothSidesOfADivergentBranchAndMeetsAgain) {
  parse(R"(
define ptx_kernel void @k(i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %then, label %join
then:
  %i = mul i32 %tid, 32
  %p = getelementptr float, ptr addrspace(3) @s, i32 %i
  store float 1.0, ptr addrspace(3) %p, align 4
  br label %join
join:
  %q = getelementptr float, ptr addrspace(3) @s, i32 %tid
  store float 2.0, ptr addrspace(3) %q, align 4
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {64, 1, 1}, {{"n", 10}}));
  AccessTally store = counters.total(AccessKind::Store, AccessSpace::Shared);
  EXPECT_EQ(store.requests, 1u + 2); // ten lanes of the first warp; then both warps whole
  EXPECT_EQ(store.wavefronts, 10u + 2);
  EXPECT_EQ(store.bankConflicts, 9u);
}

/// if (tid < n) s[tid] = 1; and then, where `rest` says so, more
std::string guardedStore(const std::string &rest) {
  return R"(
define ptx_kernel void @k(i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @s, i32 %tid
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %then, label %join
then:
  store float 1.0, ptr addrspace(3) %p, align 4
  br label %join
join:
)" + rest +
         R"(
  ret void
})";
}

TEST_F(CountLaunch, ABodyUnderAPredicateIsIssuedByWarpsThatAreOff) {
  parse(guardedStore("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"));
  AccessTally store =
      count(launchOf({1, 1, 1}, {96, 1, 1}, {{"n", 10}})).total(AccessKind::Store, AccessSpace::Shared);
  EXPECT_EQ(store.instructions, 3u); // all three warps
  EXPECT_EQ(store.requests, 1u);
  EXPECT_EQ(store.wavefronts, 1u);
}

TEST_F(CountLaunch, LanesEndInsteadWhereNothingFollows) {
  parse(guardedStore(""));
  AccessTally store =
      count(launchOf({1, 1, 1}, {96, 1, 1}, {{"n", 10}})).total(AccessKind::Store, AccessSpace::Shared);
  EXPECT_EQ(store.instructions, 1u);
  EXPECT_EQ(store.requests, 1u);
}

TEST_F(CountLaunch, SaysWhatHangsOnData) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %v = load i32, ptr addrspace(1) %p, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %v
  store i32 1, ptr addrspace(1) %o, align 4
  %c = icmp eq i32 %v, 7
  br i1 %c, label %then, label %exit
then:
  store i32 2, ptr addrspace(1) %p, align 4
  br label %exit
exit:
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}));
  ASSERT_EQ(counters.accesses.size(), 3u);
  EXPECT_EQ(counters.accesses[0].grade, CountGrade::Exact);   // the address of the load is plain
  EXPECT_EQ(counters.accesses[1].grade, CountGrade::Assumed); // gathered: zero everywhere, one sector
  EXPECT_EQ(counters.accesses[1].tally.sectors, 1u);
  EXPECT_EQ(counters.accesses[2].grade, CountGrade::Assumed); // skipped, as zero is not seven
  EXPECT_EQ(counters.accesses[2].tally.requests, 0u);
  EXPECT_EQ(counters.grade, CountGrade::Assumed);
}

TEST_F(CountLaunch, BranchesAreCountedByWarpAndLane) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 40
  br i1 %c, label %then, label %exit
then:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %d = icmp eq i32 %v, 7
  br i1 %d, label %seven, label %exit
seven:
  store i32 2, ptr addrspace(1) %p, align 4
  br label %exit
exit:
  ret void
})");
  LaunchCounters counters = count(launchOf({2, 1, 1}, {128, 1, 1}));
  ASSERT_EQ(counters.branches.size(), 2u);
  const BranchTally &guard = counters.branches[0].tally;
  EXPECT_EQ(counters.branches[0].grade, CountGrade::Exact);
  EXPECT_EQ(guard.executions, 8u);
  EXPECT_EQ(guard.diverged, 2u); // the second warp of each block
  EXPECT_EQ(guard.lanes, 256u);
  EXPECT_EQ(guard.takenWarps, 4u);
  EXPECT_EQ(guard.takenLanes, 80u);
  EXPECT_EQ(guard.notTakenWarps, 6u);
  EXPECT_EQ(guard.notTakenLanes, 176u);
  EXPECT_EQ(guard.onData, 0u);
  const BranchTally &seven = counters.branches[1].tally;
  EXPECT_EQ(counters.branches[1].grade, CountGrade::Assumed);
  EXPECT_EQ(seven.executions, 4u);
  EXPECT_EQ(seven.onData, 4u);
  EXPECT_EQ(seven.diverged, 0u); // zero everywhere
}

} // namespace
