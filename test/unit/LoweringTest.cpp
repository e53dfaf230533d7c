// Device IR in, what its threads see out.

#include "test/unit/VirtualDeviceFixture.h"

namespace warpwright::vdevice {
namespace {

using Lowered = VirtualDevice;

TEST_F(Lowered, WhatIsNotCoveredIsNamed) {
  parse(R"(
declare void @llvm.nvvm.tcgen05.fence.before.thread.sync()
define ptx_kernel void @k(ptr addrspace(1) %out) {
  call void @llvm.nvvm.tcgen05.fence.before.thread.sync()
  ret void
})");
  EXPECT_EQ(lower(Lowering::Plain, ThreadOrder::Any).uncovered, "llvm.nvvm.tcgen05.fence.before.thread.sync");
}

TEST_F(Lowered, UnknownInlinePtxIsNamed) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  call void asm sideeffect "frobnicate.b32 $0;", "r"(i32 1)
  ret void
})");
  EXPECT_EQ(lower(Lowering::Plain, ThreadOrder::Any).uncovered, "inline PTX frobnicate.b32");
}

/// Both intrinsics and inline PTX.
TEST_F(Lowered, AsynchronousCopiesAppearWhenTheyAreWaitedFor) {
  for (bool inlined : {false, true}) {
    SCOPED_TRACE(inlined);
    std::string copy = inlined ? R"(
  %to = ptrtoint ptr addrspace(3) @s to i64
  %to32 = trunc i64 %to to i32
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "r,l"(i32 %to32, ptr addrspace(1) %out)
  call void asm sideeffect "cp.async.commit_group;", ""()
)"
                               : R"(
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) @s, ptr addrspace(1) %out)
  call void @llvm.nvvm.cp.async.commit.group()
)";
    std::string wait = inlined ? R"(call void asm sideeffect "cp.async.wait_group 0;", ""())"
                               : "call void @llvm.nvvm.cp.async.wait.group(i32 0)";
    parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  store volatile i32 5, ptr addrspace(3) @s
  store volatile i32 7, ptr addrspace(1) %out
)" + copy +
          R"(
  %early = load volatile i32, ptr addrspace(3) @s
)" + wait +
          R"(
  %late = load volatile i32, ptr addrspace(3) @s
  %first = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %early, ptr addrspace(1) %first
  %second = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %late, ptr addrspace(1) %second
  ret void
})");
    std::vector<uint32_t> out = run(1, 3, 0);
    ASSERT_EQ(out.size(), 3u);
    EXPECT_EQ(out[1], 5u);
    EXPECT_EQ(out[2], 7u);
  }
}

/// A register keeps what it held where the guard is false, and memory what is in it.
TEST_F(Lowered, GuardsHoldForMemory) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  call void asm sideeffect "{.reg .pred p; setp.lt.u32 p, $1, 2; @p st.global.u32 [$0], $2;}", "l,r,r"(ptr addrspace(1) %place, i32 %t, i32 9)
  %read = call i32 asm sideeffect "{.reg .pred p; setp.eq.u32 p, $2, 1; mov.u32 $0, 3; @p ld.global.u32 $0, [$1];}", "=r,l,r"(ptr addrspace(1) %place, i32 %t)
  %far = getelementptr i32, ptr addrspace(1) %place, i64 4
  store i32 %read, ptr addrspace(1) %far
  ret void
})");
  EXPECT_EQ(run(4, 8, 0), (std::vector<uint32_t>{9, 9, 0, 0, 3, 9, 3, 3}));
}

} // namespace
} // namespace warpwright::vdevice
