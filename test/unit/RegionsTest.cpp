// Threads between barriers as loops: where that may be, and that it computes the same as threads one by one.

#include "feedback/evaluators/virtual/lowering/Coroutine.h"
#include "feedback/evaluators/virtual/lowering/Entry.h"
#include "test/unit/VirtualDeviceFixture.h"

namespace warpwright::vdevice {
namespace {

constexpr uint32_t threads = 64;
constexpr uint64_t someOrder = 7;

class Regions : public VirtualDevice {
protected:
  bool runsInRegions(Lowering lowering = Lowering::Plain) {
    LoweredKernel lowered = lower(lowering, ThreadOrder::Ascending);
    bool inRegions = lowered.module->getFunction(blockEntry) != nullptr;
    EXPECT_NE(inRegions, lowered.module->getFunction(coroutineEntry) != nullptr);
    return inRegions;
  }

  /// The same in any order means the same in regions, since other orders have none.
  void expectSame(std::map<std::string, Scalar> arguments = {}) {
    EXPECT_TRUE(runsInRegions());
    std::vector<uint32_t> inRegions = run(threads, threads, 0, arguments);
    EXPECT_EQ(inRegions, run(threads, threads, someOrder, arguments));
    EXPECT_TRUE(llvm::any_of(inRegions, [](uint32_t word) { return word != 0; }));
    expectSameCounts(inRegions, arguments);
  }

  /// Watched, too, and then with the same counters.
  void expectSameCounts(const std::vector<uint32_t> &expected, std::map<std::string, Scalar> arguments) {
    EXPECT_TRUE(runsInRegions(Lowering::Watched));
    isWatched_ = true;
    EXPECT_EQ(run(threads, threads, 0, arguments), expected);
    simt::AccessTally inRegions = tally_;
    EXPECT_EQ(run(threads, threads, someOrder, arguments), expected);
    isWatched_ = false;
    EXPECT_GT(inRegions.lanes, 0u);
    EXPECT_EQ(inRegions.requests, tally_.requests);
    EXPECT_EQ(inRegions.lanes, tally_.lanes);
    EXPECT_EQ(inRegions.sectors, tally_.sectors);
    EXPECT_EQ(inRegions.wavefronts, tally_.wavefronts);
  }
};

constexpr const char *stepKernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %own = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %t64
  store i32 %t, ptr addrspace(3) %own
  %next = add i32 %t, 1
  %wrapped = and i32 %next, 63
  %wrapped64 = zext i32 %wrapped to i64
  %other = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %wrapped64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %more, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %read = load i32, ptr addrspace(3) %other
  %scaled = mul i32 %sum, 3
  %with = add i32 %scaled, %read
  %more = add i32 %with, %i
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %more, ptr addrspace(3) %own
  %j = add i32 %i, 1
  %again = icmp slt i32 %j, LIMIT
  br i1 %again, label %loop, label %done
done:
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  store i32 %more, ptr addrspace(1) %place
  ret void
})";

std::string stepKernelUpTo(const std::string &limit) {
  std::string text = stepKernel;
  return text.replace(text.find("LIMIT"), 5, limit);
}

TEST_F(Regions, LoopOverAParameterIsCut) {
  parse(stepKernelUpTo("%n"));
  expectSame({{"n", int64_t(9)}});
}

TEST_F(Regions, LoopOverAThreadIsNot) {
  parse(stepKernelUpTo("%t"));
  EXPECT_FALSE(runsInRegions());
}

TEST_F(Regions, BarrierInABranchOfSomeThreadsIsNotCut) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp slt i32 %t, 32
  br i1 %few, label %some, label %all
some:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %all
all:
  ret void
})");
  EXPECT_FALSE(runsInRegions());
}

TEST_F(Regions, BarrierInABranchOfWholeBlocksIs) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %own = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %t64
  %back = sub i64 63, %t64
  %other = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %back
  store i32 %t, ptr addrspace(3) %own
  %odd = icmp eq i32 %b, 1
  br i1 %odd, label %second, label %all
second:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %read = load i32, ptr addrspace(3) %other
  br label %all
all:
  %value = phi i32 [ %t, %entry ], [ %read, %second ]
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  br i1 %odd, label %write, label %end
write:
  store i32 %value, ptr addrspace(1) %place
  br label %end
end:
  ret void
})");
  expectSame();
  EXPECT_EQ(run(threads, threads, 0)[5], 58u);
}

TEST_F(Regions, WhatABarrierCountsIsTheSameForAll) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  br label %loop
loop:
  %left = phi i32 [ 40, %entry ], [ %count, %loop ]
  %limit = sub i32 %left, 3
  %below = icmp slt i32 %t, %limit
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %below)
  %again = icmp sgt i32 %count, 5
  br i1 %again, label %loop, label %done
done:
  %sum = add i32 %count, %t
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  store i32 %sum, ptr addrspace(1) %place
  ret void
})");
  expectSame();
  EXPECT_EQ(run(threads, threads, 0)[10], 14u); // 37, 34, ... 7, 4
}

/// Barriers in every second iteration alone: iterations between two of them are told apart.
TEST_F(Regions, IterationsWithoutABarrierAreCountedApart) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %own = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %t64
  store i32 %t, ptr addrspace(3) %own
  %odd = and i32 %t, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  br label %inner
inner:
  %k = phi i32 [ 0, %loop ], [ %l, %inner ]
  %old = load i32, ptr addrspace(3) %own
  %l = add i32 %k, 1
  %start = add i32 %odd, %i
  %limit = and i32 %start, 3
  %more = icmp sle i32 %l, %limit
  br i1 %more, label %inner, label %behind
behind:
  %bit = and i32 %i, 1
  %waits = icmp eq i32 %bit, 0
  br i1 %waits, label %barrier, label %next
barrier:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %next
next:
  %j = add i32 %i, 1
  %again = icmp slt i32 %j, %n
  br i1 %again, label %loop, label %done
done:
  %sum = add i32 %old, 1
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  store i32 %sum, ptr addrspace(1) %place
  ret void
})");
  expectSame({{"n", int64_t(6)}});
}

TEST_F(Regions, LocalArraysLiveAcrossBarriers) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
entry:
  %array = alloca [4 x i32], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %which = and i64 %t64, 3
  %place = getelementptr [4 x i32], ptr %array, i64 0, i64 %which
  %value = mul i32 %t, 11
  store i32 %value, ptr %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %read = load i32, ptr %place
  %target = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  store i32 %read, ptr addrspace(1) %target
  ret void
})");
  expectSame();
  EXPECT_EQ(run(threads, threads, 0)[6], 66u);
}

} // namespace
} // namespace warpwright::vdevice
