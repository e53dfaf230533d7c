#include "test/unit/KernelFactsFixture.h"

using namespace warpwright;
using testing::HasSubstr;

namespace {

// The squares of a Mandelbrot iteration: each of two carried values is computed from both, so that their
// operations lie on a cycle that does not pass the first.
TEST_F(KernelFactsTest, FollowsChainsOfCarriedValuesThatUseEachOther) {
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %out, i32 %n, float %c) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ 0.0, %entry ], [ %newx, %loop ]
  %y = phi float [ 0.0, %entry ], [ %newy, %loop ]
  %yy = fmul float %y, %y
  %xx = fmul float %x, %x
  %difference = fsub float %xx, %yy
  %newx = fadd float %difference, %c
  %xy = fmul float %x, %y
  %newy = fadd float %xy, %c
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %sum = fadd float %newx, %newy
  store float %sum, ptr %out
  ret void
})");
  ASSERT_FALSE(kernel.chains.empty());
  for (const DependenceChain &chain : kernel.chains)
    EXPECT_LE(chain.operations.size(), 5u);
}

TEST_F(KernelFactsTest, FindsTheSumALoopCarries) {
  KernelFacts kernel = facts(matvec);
  ASSERT_EQ(kernel.reductions.size(), 1u);
  EXPECT_EQ(kernel.reductions[0].kind, CombineKind::Sum);
  EXPECT_TRUE(kernel.reductions[0].floatingPoint);
  EXPECT_FALSE(kernel.reductions[0].conditional);
  ASSERT_EQ(kernel.chains.size(), 1u);
  EXPECT_THAT(kernel.chains[0].operations, testing::ElementsAre("fadd"));
}

TEST_F(KernelFactsTest, BoundsBuffersByGuardAndLoop) {
  std::string printed = text(matvec);
  EXPECT_THAT(printed, HasSubstr("range of a: read from 0 assumed to 4 * m * n - 1 assumed"));
  EXPECT_THAT(printed, HasSubstr("range of x: read from 0 to 4 * n - 1 assumed"));
  EXPECT_THAT(printed, HasSubstr("range of y: written from 0 to 4 * m - 1 assumed"));
}

TEST_F(KernelFactsTest, CountsLoopsThatCountDown) {
  KernelFacts kernel = facts(section);
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_EQ(kernel.loops[0].tripCount.value().text(), "n");
}

TEST_F(KernelFactsTest, WalkingPointersAreIndices) {
  // for (p = in + threadIdx.x; p < in + n; p += blockDim.x) sum = max(sum, *p);  *out = sum;
  std::string printed = text(R"(
define ptx_kernel void @k(ptr %in, ptr %out, i32 %n) {
entry:
  %x = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %x.wide = zext nneg i32 %x to i64
  %w.wide = zext nneg i32 %w to i64
  %n.wide = sext i32 %n to i64
  %last = getelementptr inbounds float, ptr %in, i64 %n.wide
  %first = getelementptr inbounds float, ptr %in, i64 %x.wide
  %some = icmp ult ptr %first, %last
  br i1 %some, label %body, label %end
body:
  %p = phi ptr [ %first, %entry ], [ %next, %body ]
  %best = phi float [ 0.0, %entry ], [ %better, %body ]
  %value = load float, ptr %p, align 4
  %better = call float @__nv_fmaxf(float %best, float %value)
  %next = getelementptr inbounds float, ptr %p, i64 %w.wide
  %more = icmp ult ptr %next, %last
  br i1 %more, label %body, label %end
end:
  %result = phi float [ 0.0, %entry ], [ %better, %body ]
  store float %result, ptr %out, align 4
  ret void
}
declare float @__nv_fmaxf(float, float))");
  EXPECT_THAT(printed, HasSubstr("in[blockDim.x * iter(p) + threadIdx.x], lane stride 4,"));
  EXPECT_THAT(printed, HasSubstr("ceil_div((n - threadIdx.x) * 4, 4 * blockDim.x)"));
  EXPECT_THAT(printed, HasSubstr("reduction in loop 0: max of float"));
  EXPECT_THAT(printed,
              HasSubstr("uniform exit no assumed (lanes differ in what the exit reads: threadIdx.x)"));
}

TEST_F(KernelFactsTest, AValueThatIsLookedAtOnTheWayIsNoReduction) {
  // for (i = 0; i < 8; ++i) { sum += a[i]; a[i] = sum; }
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %a) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %value = load float, ptr %p, align 4
  %more = fadd float %sum, %value
  store float %more, ptr %p, align 4
  %next = add nuw nsw i64 %i, 1
  %over = icmp eq i64 %next, 8
  br i1 %over, label %end, label %body
end:
  ret void
})");
  EXPECT_TRUE(kernel.reductions.empty());
  ASSERT_EQ(kernel.chains.size(), 1u);
  EXPECT_FALSE(kernel.chains[0].reduction);
  EXPECT_EQ(kernel.loops[0].tripCount.value().asConstant(), 8);
}

TEST_F(KernelFactsTest, ALoopThatMayLeaveEarlyHasNoTripCount) {
  // for (i = 0; i < n && a[i] != 0; ++i);
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %a, i32 %n) {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %latch, label %end
latch:
  %i.wide = zext nneg i32 %i to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %i.wide
  %value = load i32, ptr %p, align 4
  %next = add nuw nsw i32 %i, 1
  %stop = icmp eq i32 %value, 0
  br i1 %stop, label %end, label %header
end:
  ret void
})");
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_FALSE(kernel.loops[0].tripCount.known());
}

TEST_F(KernelFactsTest, NamesWidthAndMemoryOfOperationsOnAChain) {
  // for (i = 0; i < 8; ++i) { sum += 1.5; at = s[at]; }
  KernelFacts kernel = facts(R"(
@s = internal addrspace(3) global [64 x i32] undef, align 4
define ptx_kernel void @k(ptr %d, ptr %o) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %sum = phi double [ 0.0, %entry ], [ %sum.next, %body ]
  %at = phi i32 [ 0, %entry ], [ %at.next, %body ]
  %sum.next = fadd double %sum, 1.5
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %at
  %at.next = load i32, ptr addrspace(3) %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, 8
  br i1 %more, label %body, label %done
done:
  store double %sum.next, ptr %d, align 8
  store i32 %at.next, ptr %o, align 4
  ret void
})");
  ASSERT_EQ(kernel.chains.size(), 2u);
  EXPECT_THAT(kernel.chains[0].operations, testing::ElementsAre("fadd.f64"));
  EXPECT_THAT(kernel.chains[1].operations, testing::ElementsAre("load.shared"));
  EXPECT_TRUE(kernel.chains[1].throughMemory);
}

} // namespace
