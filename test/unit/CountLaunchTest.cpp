#include "test/unit/CountLaunchFixture.h"

#include <nlohmann/json.hpp>

using namespace warpwright;
using namespace warpwright::simt;

namespace {

/// out[tid * stride] = 1
constexpr const char *stridedStore = R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %stride) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %tid, %stride
  %p = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
})";

TEST_F(CountLaunch, CountsRequestsSectorsAndLanes) {
  parse(stridedStore);
  LaunchCounters counters = count(launchOf({3, 1, 1}, {48, 1, 1}, {{"stride", 2}}));
  AccessTally store = counters.total(AccessKind::Store, AccessSpace::Global);
  EXPECT_EQ(store.requests, 6u); // 3 blocks of 2 warps, the second half full
  EXPECT_EQ(store.lanes, 3u * 48);
  EXPECT_EQ(store.bytes, 3u * 48 * 4);
  EXPECT_EQ(store.sectors, 3u * (8 + 4)); // 8 bytes apart: 4 lanes a sector
  EXPECT_EQ(store.distinctBytes, store.bytes);
  EXPECT_EQ(store.idealSectors, 3u * (4 + 2)); // 128 and 64 bytes
  EXPECT_EQ(store.shiftedRequests, 0u);        // there are gaps
  EXPECT_EQ(counters.grade, CountGrade::Exact);
  EXPECT_EQ(counters.total(AccessKind::Load, AccessSpace::Global), AccessTally());
}

TEST_F(CountLaunch, NamesWhatIsWrongWithALaunch) {
  parse(stridedStore);
  EXPECT_EQ(errorOf(launchOf({1, 1, 1}, {32, 1, 1})), "launch of 'k': parameter 'stride' has no value");
  EXPECT_EQ(errorOf(launchOf({1, 1, 1}, {32, 1, 1}, {{"stride", 1}, {"n", 4}})),
            "launch of 'k': argument 'n' belongs to no parameter");
  EXPECT_EQ(errorOf(launchOf({1, 1, 1}, {2048, 1, 1}, {{"stride", 1}})),
            "launch of 'k': a block of 2048 threads; 1024 is the most");
}

TEST_F(CountLaunch, TakesParameterNamesFromTheOptions) {
  parse(stridedStore);
  SimtOptions options;
  options.parameters = {{"destination", {}}, {"step", {}}};
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"step", 1}}), options);
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, 4u);
}

TEST_F(CountLaunch, ReadsMembersOfStructsPassedByValue) {
  parse(R"(
%P = type { i32, i32 }
define ptx_kernel void @k(ptr addrspace(1) %out, ptr byval(%P) align 4 %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %field = getelementptr i8, ptr %p, i64 4
  %stride = load i32, ptr %field, align 4
  %i = mul i32 %tid, %stride
  %q = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float 1.0, ptr addrspace(1) %q, align 4
  ret void
})");
  SimtOptions options;
  options.parameters = {
      {"out", {}},
      {"p", {{"n", 0, 4, ParameterMember::Kind::Integer}, {"stride", 4, 4, ParameterMember::Kind::Integer}}}};
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"p.n", 7}, {"p.stride", 8}}), options);
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, 32u);
  EXPECT_EQ(counters.grade, CountGrade::Exact); // parameter memory is known
}

TEST_F(CountLaunch, CutsAccessesToWhatTheirAlignmentAllows) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  store <4 x float> zeroinitializer, ptr addrspace(1) %out, align 16
  store <4 x float> zeroinitializer, ptr addrspace(1) %out, align 8
  store <3 x float> zeroinitializer, ptr addrspace(1) %out, align 4
  store i64 0, ptr addrspace(1) %out, align 8
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).requests, 1u + 2 + 3 + 1);
  EXPECT_EQ(counters.accesses.front().bytesPerLane, 16u);
  EXPECT_EQ(counters.accesses.back().bytesPerLane, 8u);
}

TEST_F(CountLaunch, ValuesPassThroughSharedMemoryAndBarriers) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @s, i32 %tid
  %twice = mul i32 %tid, 2
  store i32 %twice, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %tid, 32
  %q = getelementptr i32, ptr addrspace(3) @s, i32 %other
  %v = load i32, ptr addrspace(3) %q, align 4
  %o = getelementptr float, ptr addrspace(1) %out, i32 %v
  store float 1.0, ptr addrspace(1) %o, align 4
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {64, 1, 1}));
  // What the other warp wrote decides the address: stride two floats, 8 sectors a warp.
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, 16u);
  EXPECT_EQ(counters.grade, CountGrade::Exact);
}

TEST_F(CountLaunch, ShufflesMoveValuesBetweenLanes) {
  parse(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %tid, i32 16, i32 31)
  %o = getelementptr float, ptr addrspace(1) %out, i32 %v
  store float 1.0, ptr addrspace(1) %o, align 4
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}));
  // Lanes 0..15 get 16..31, the upper half keeps its own: 64 bytes.
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, 2u);
  EXPECT_EQ(counters.instructions.warp[static_cast<unsigned>(InstructionClass::Shuffle)], 1u);
}

TEST_F(CountLaunch, CallsDeviceFunctions) {
  parse(R"(
define i32 @square(i32 %x) {
  %y = mul i32 %x, %x
  ret i32 %y
}
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 @square(i32 %tid)
  %o = getelementptr float, ptr addrspace(1) %out, i32 %v
  store float 1.0, ptr addrspace(1) %o, align 4
  ret void
})");
  // Squares 0 1 4 | 9 | 16 | 25 | ...: from 4 on each lane has its own sector of eight floats but 4 and below
  // share one.
  unsigned sectors = 0;
  for (unsigned lane = 0, last = ~0u; lane < 32; last = lane * lane / 8, ++lane)
    sectors += lane * lane / 8 != last;
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, sectors);
}

TEST_F(CountLaunch, ReadsInlinePtxAsTheAccessesItIs) {
  parse(R"(
define ptx_kernel void @k(ptr %in, ptr addrspace(3) %unused) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr <4 x float>, ptr %in, i32 %tid
  %v = call { float, float, float, float } asm "ld.global.nc.v4.f32 {$0,$1,$2,$3}, [$4+16];", "=f,=f,=f,=f,l"(ptr %p)
  call void asm sideeffect "prefetch.global.L2 [$0];", "l"(ptr %p)
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"unused", 0}}));
  AccessTally load = counters.total(AccessKind::Load, AccessSpace::Global);
  EXPECT_EQ(load.requests, 1u);
  EXPECT_EQ(load.sectors, 17u); // bytes 16..527
  EXPECT_TRUE(counters.unknown.empty());
}

TEST_F(CountLaunch, NamesWhatItDoesNotUnderstand) {
  parse(R"(
declare void @elsewhere(ptr)
define ptx_kernel void @k(ptr %in) {
  call void @elsewhere(ptr %in)
  ret void
})");
  LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}));
  ASSERT_EQ(counters.unknown.size(), 1u);
  EXPECT_EQ(counters.unknown[0].reason, "a call of elsewhere");
  EXPECT_EQ(counters.grade, CountGrade::Unknown);
}

TEST_F(CountLaunch, PrintsTheHardwaresNames) {
  parse(stridedStore);
  nlohmann::ordered_json json = countersToJson(count(launchOf({1, 1, 1}, {32, 1, 1}, {{"stride", 1}})));
  EXPECT_EQ(json.dump(),
            R"({"global_ld_requests":0,"global_ld_sectors":0,"global_st_requests":1,)"
            R"("global_st_sectors":4,"shared_ld_instructions":0,"shared_ld_wavefronts":0,)"
            R"("shared_ld_bank_conflicts":0,"shared_st_instructions":0,"shared_st_wavefronts":0,)"
            R"("shared_st_bank_conflicts":0,"grade":"exact"})");
}

} // namespace
