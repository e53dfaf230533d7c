#include "analysis/simt/CountLaunch.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <nlohmann/json.hpp>

using namespace warpwright;
using namespace warpwright::simt;

namespace {

constexpr const char *prologue = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [1024 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
)";

/// Parses kernels and counts launches of them.
class CountLaunch : public testing::Test {
protected:
  void parse(const std::string &text) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(prologue + text, diagnostic, context_);
    ASSERT_TRUE(module_) << diagnostic.getMessage().str();
  }

  llvm::Expected<LaunchCounters> run(Launch launch, const SimtOptions &options = {}) {
    launch.kernel = "k";
    return countLaunch(*module_->getFunction("k"), launch, options);
  }

  LaunchCounters count(Launch launch, const SimtOptions &options = {}) {
    llvm::Expected<LaunchCounters> counters = run(std::move(launch), options);
    EXPECT_TRUE(static_cast<bool>(counters));
    if (!counters) {
      ADD_FAILURE() << llvm::toString(counters.takeError());
      return {};
    }
    return std::move(*counters);
  }

  std::string errorOf(Launch launch) {
    llvm::Expected<LaunchCounters> counters = run(std::move(launch));
    return counters ? "no error" : llvm::toString(counters.takeError());
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

Launch launchOf(Dim3 grid, Dim3 block, std::map<std::string, Scalar> arguments = {}) {
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.arguments = std::move(arguments);
  return launch;
}

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

/// for (i = tid; i < n; i += 64) out[i] = 1
constexpr const char *gridLoop = R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %any = icmp slt i32 %tid, %n
  br i1 %any, label %loop, label %exit
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  %next = add i32 %i, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
})";

TEST_F(CountLaunch, LanesLeaveALoopOneByOne) {
  parse(gridLoop);
  LaunchCounters counters = count(launchOf({1, 1, 1}, {64, 1, 1}, {{"n", 100}}));
  AccessTally store = counters.total(AccessKind::Store, AccessSpace::Global);
  // 0..31, 32..63, 64..95 whole, 96..99 by four lanes
  EXPECT_EQ(store.requests, 4u);
  EXPECT_EQ(store.lanes, 100u);
  EXPECT_EQ(store.sectors, 4u + 4 + 4 + 1);
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
    EXPECT_EQ(counters.grade, CountGrade::Estimated);
    EXPECT_LT(counters.steps, 20'000u);
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
