#include "test/unit/KernelFactsFixture.h"

#include "analysis/ir/InlinePtx.h"

#include <nlohmann/json.hpp>

using namespace warpwright;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST_F(KernelFactsTest, ReadsARowPerThread) {
  KernelFacts kernel = facts(matvec);
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_EQ(kernel.loops[0].counter, "i");
  EXPECT_TRUE(kernel.loops[0].tripCount.proved());
  EXPECT_EQ(kernel.loops[0].tripCount.value().text(), "n");
  EXPECT_TRUE(kernel.loops[0].uniformExit.proved() && kernel.loops[0].uniformExit.value());

  ASSERT_EQ(kernel.accesses.size(), 3u);
  const MemoryAccess &a = kernel.accesses[0];
  EXPECT_EQ(a.index, "a[(blockIdx.y * blockDim.y + threadIdx.y) * n + i]");
  EXPECT_EQ(a.space, MemorySpace::Global);
  EXPECT_TRUE(a.offset.proved());
  EXPECT_TRUE(a.laneStride().value().isZero());
  EXPECT_EQ(a.threadCoefficient[1].value().text(), "4 * n");
  EXPECT_TRUE(a.contiguousInLoop);
  EXPECT_FALSE(a.uniform.value());
  EXPECT_EQ(a.uniform.reason(), "4 * n is not zero");
  EXPECT_TRUE(a.divergentControl);

  const MemoryAccess &x = kernel.accesses[1];
  EXPECT_EQ(x.index, "x[i]");
  EXPECT_TRUE(x.uniform.proved() && x.uniform.value());
  EXPECT_TRUE(x.sharedAlongThreadAxis(0) && x.sharedAlongThreadAxis(1));

  EXPECT_EQ(kernel.accesses[2].kind, AccessKind::Write);
  EXPECT_FALSE(kernel.accesses[2].loop.has_value());
}

TEST_F(KernelFactsTest, TellsAGuardFromOtherDivergence) {
  KernelFacts kernel = facts(matvec);
  ASSERT_EQ(kernel.branches.size(), 1u) << "branches on scalars do not diverge";
  EXPECT_EQ(kernel.branches[0].condition, "blockIdx.y * blockDim.y + threadIdx.y < m");
  EXPECT_TRUE(kernel.branches[0].boundsGuard);
  EXPECT_FALSE(kernel.branches[0].threadAxes[0]);
  EXPECT_TRUE(kernel.branches[0].threadAxes[1]);
}

TEST_F(KernelFactsTest, GivesSharedStridesAndLayout) {
  KernelFacts kernel = facts(tile);
  ASSERT_EQ(kernel.accesses.size(), 5u);
  EXPECT_EQ(kernel.accesses[1].space, MemorySpace::Shared);
  EXPECT_EQ(kernel.accesses[1].laneStride().value().asConstant(), 4);
  EXPECT_EQ(kernel.accesses[2].laneStride().value().asConstant(), 132);
  EXPECT_EQ(kernel.accesses[2].object.value().name, "tile");
  ASSERT_EQ(kernel.sharedVariables.size(), 1u);
  EXPECT_EQ(kernel.sharedVariables[0].bytes, 32u * 33 * 4);
  EXPECT_THAT(kernel.sharedVariables[0].extents, testing::ElementsAre(32, 33));
  EXPECT_FALSE(kernel.sharedVariables[0].escapes);
  EXPECT_TRUE(kernel.parameters[1].restricted);
  EXPECT_FALSE(kernel.parameters[0].restricted);
}

TEST_F(KernelFactsTest, SaysUnknownWhereAnIndexIsNotLinear) {
  KernelFacts kernel = facts(tile);
  EXPECT_EQ(kernel.accesses[0].index, "in[threadIdx.x ^ 5]");
  EXPECT_FALSE(kernel.accesses[0].laneStride().known());
  EXPECT_FALSE(kernel.accesses[0].uniform.known());
  EXPECT_FALSE(kernel.accesses[0].dataDependent);
}

TEST_F(KernelFactsTest, MarksDataDependentAddresses) {
  KernelFacts kernel = facts(tile);
  EXPECT_EQ(kernel.accesses[4].index, "out[idx[threadIdx.x]]");
  EXPECT_TRUE(kernel.accesses[4].dataDependent);
  EXPECT_FALSE(kernel.accesses[4].laneStride().known());
  EXPECT_FALSE(kernel.accesses[3].dataDependent);
}

TEST_F(KernelFactsTest, ABarrierInStraightCodeIsReachedByAll) {
  KernelFacts kernel = facts(tile);
  ASSERT_EQ(kernel.synchronisations.size(), 1u);
  EXPECT_EQ(kernel.synchronisations[0].kind, Synchronisation::Kind::Barrier);
  EXPECT_FALSE(kernel.synchronisations[0].divergentControl);
}

TEST_F(KernelFactsTest, FindsWorkThatOneThreadDoes) {
  KernelFacts kernel = facts(section);
  ASSERT_EQ(kernel.sections.size(), 1u);
  EXPECT_EQ(kernel.sections[0].condition, "threadIdx.x == 0");
  EXPECT_TRUE(kernel.sections[0].fixedAxes[0]);
  EXPECT_FALSE(kernel.sections[0].fixedAxes[1]);
  EXPECT_EQ(kernel.sections[0].loops.size(), 1u);
  EXPECT_EQ(kernel.sections[0].accesses.size(), 1u);
  EXPECT_TRUE(kernel.sections[0].barrierFollows);
  EXPECT_EQ(kernel.accesses[0].combine, CombineKind::Sum);
  EXPECT_FALSE(kernel.accesses[0].resultUsed);
  EXPECT_TRUE(kernel.accesses[0].invariantInLoop);
}

TEST_F(KernelFactsTest, ABarrierUnderADivergentConditionIsAHazard) {
  KernelFacts kernel = facts(section);
  ASSERT_EQ(kernel.synchronisations.size(), 2u);
  EXPECT_TRUE(kernel.synchronisations[0].divergentControl);
  EXPECT_FALSE(kernel.synchronisations[1].divergentControl);
}

TEST_F(KernelFactsTest, AConditionOnTheBlockIsNoSection) {
  // if (blockIdx.x == 0) *out = 1;
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %out) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = icmp eq i32 %block, 0
  br i1 %first, label %then, label %end
then:
  store i32 1, ptr %out, align 4
  br label %end
end:
  ret void
})");
  EXPECT_TRUE(kernel.sections.empty());
  EXPECT_TRUE(kernel.branches.empty());
  EXPECT_FALSE(kernel.accesses[0].divergentControl);
}

TEST_F(KernelFactsTest, TellsDoubleThatFloatsCausedFromDoubleThatWasMeant) {
  // f[0] = f[0] * 0.3;  d[0] = d[0] * 0.3;
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %f, ptr %d) {
  %narrow = load float, ptr %f, align 4
  %wide = fpext float %narrow to double
  %scaled = fmul double %wide, 0x3FD3333333333333
  %back = fptrunc double %scaled to float
  store float %back, ptr %f, align 4
  %meant = load double, ptr %d, align 8
  %product = fmul double %meant, 0x3FD3333333333333
  store double %product, ptr %d, align 8
  ret void
})");
  ASSERT_EQ(kernel.doublesInFloat.size(), 1u);
  EXPECT_TRUE(kernel.doublesInFloat[0].operandsFromFloat && kernel.doublesInFloat[0].resultToFloat &&
              kernel.doublesInFloat[0].literal);
  EXPECT_EQ(kernel.arithmetic[0].fp64, 2u);
}

TEST_F(KernelFactsTest, DivisionsByPowersOfTwoAreNone) {
  // a[threadIdx.x / 8] = threadIdx.x % n;
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %a, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %eighth = udiv i32 %x, 8
  %rest = urem i32 %x, %n
  %wide = zext nneg i32 %eighth to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %wide
  store i32 %rest, ptr %p, align 4
  ret void
})");
  ASSERT_EQ(kernel.divisions.size(), 1u);
  EXPECT_TRUE(kernel.divisions[0].remainder);
  EXPECT_EQ(kernel.divisions[0].divisorText, "n");
}

TEST_F(KernelFactsTest, APointerThatMayBeAnythingByOnePathIsUnknown) {
  // *(d ? a : c ? a : b) = 1
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %a, ptr %b, i1 %c, i1 %d) {
entry:
  %either = select i1 %c, ptr %a, ptr %b
  br i1 %d, label %then, label %end
then:
  br label %end
end:
  %p = phi ptr [ %either, %entry ], [ %a, %then ]
  store i32 1, ptr %p, align 4
  ret void
})");
  ASSERT_EQ(kernel.accesses.size(), 1u);
  EXPECT_FALSE(kernel.accesses[0].object.known());
}

TEST_F(KernelFactsTest, ReadsInlinePtxAsTheAccessesItMakes) {
  KernelFacts kernel = facts(R"(
@buffer = external addrspace(3) global [0 x float], align 16
define ptx_kernel void @k(ptr %a) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x.wide = zext nneg i32 %x to i64
  %p = getelementptr inbounds float, ptr %a, i64 %x.wide
  %v = call { float, float, float, float } asm "ld.global.nc.v4.f32 {$0,$1,$2,$3}, [$4+16];", "=f,=f,=f,=f,l"(ptr %p)
  %to = getelementptr inbounds float, ptr addrspace(3) @buffer, i64 %x.wide
  %number = ptrtoint ptr addrspace(3) %to to i64
  %short = trunc i64 %number to i32
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "r,l"(i32 %short, ptr %p)
  call void asm sideeffect "frobnicate.global [$0];", "l"(ptr %a)
  ret void
})");
  ASSERT_EQ(kernel.accesses.size(), 3u);
  EXPECT_EQ(kernel.accesses[0].bytes, 16u);
  EXPECT_EQ(kernel.accesses[0].cacheHint, "nc");
  EXPECT_EQ(kernel.accesses[0].offset.value().text(), "(threadIdx.x + 4) * 4");
  EXPECT_EQ(kernel.accesses[1].space, MemorySpace::Global);
  EXPECT_EQ(kernel.accesses[2].space, MemorySpace::Shared);
  EXPECT_EQ(kernel.accesses[2].kind, AccessKind::Write);
  EXPECT_EQ(kernel.accesses[2].index, "buffer[threadIdx.x]");
  ASSERT_EQ(kernel.assembly.size(), 3u);
  EXPECT_TRUE(kernel.assembly[0].known && kernel.assembly[1].known);
  EXPECT_FALSE(kernel.assembly[2].known);
  EXPECT_TRUE(kernel.parameters[0].escapes) << "unknown assembly may do anything with the pointer";
  EXPECT_TRUE(kernel.sharedVariables[0].dynamic);
}

TEST_F(KernelFactsTest, NamesMembersOfParametersPassedByValue) {
  CollectOptions options;
  options.memberName = [](unsigned, uint64_t byte) { return byte == 0 ? "data" : "n"; };
  KernelFacts kernel = facts(R"(
%record = type { ptr, i32 }
define ptx_kernel void @k(ptr byval(%record) align 8 %p) {
  %data = load ptr, ptr %p, align 8
  %member = getelementptr inbounds i8, ptr %p, i64 8
  %n = load i32, ptr %member, align 8
  %wide = sext i32 %n to i64
  %to = getelementptr inbounds float, ptr %data, i64 %wide
  store float 0.0, ptr %to, align 4
  ret void
})",
                             options);
  ASSERT_EQ(kernel.accesses.size(), 1u) << "reading a parameter is no access";
  EXPECT_EQ(kernel.accesses[0].index, "p.data[p.n]");
  EXPECT_TRUE(kernel.accesses[0].uniform.value());
}

TEST_F(KernelFactsTest, ReportsAPlaceInAHelperWithTheCallAndSkipsToolkitFiles) {
  KernelFacts kernel = facts(R"(
define ptx_kernel void @k(ptr %a) !dbg !5 {
  %one = load float, ptr %a, align 4, !dbg !8
  %old = atomicrmw fadd ptr %a, float %one seq_cst, align 4, !dbg !11
  ret void
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "kernel.cu", directory: "")
!3 = !DIFile(filename: "/usr/lib/clang/22/lib/clang/22/include/__clang_cuda_device_functions.h", directory: "")
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "k", scope: !2, file: !2, line: 10, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!6 = distinct !DISubprogram(name: "helper", scope: !2, file: !2, line: 2, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!7 = distinct !DILocation(line: 12, column: 5, scope: !5)
!8 = !DILocation(line: 3, column: 9, scope: !6, inlinedAt: !7)
!9 = distinct !DISubprogram(name: "atomicAdd", scope: !3, file: !3, line: 2, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!10 = distinct !DILocation(line: 13, column: 3, scope: !5)
!11 = !DILocation(line: 200, column: 9, scope: !9, inlinedAt: !10)
)");
  const SourcePlace &helper = kernel.accesses[0].place;
  EXPECT_EQ(helper.place, (Place{"kernel.cu", 3, 9}));
  EXPECT_EQ(helper.function, "helper");
  ASSERT_EQ(helper.inlinedAt.size(), 1u);
  EXPECT_EQ(helper.inlinedAt[0].line, 12u);
  EXPECT_EQ(kernel.accesses[1].place.place, (Place{"kernel.cu", 13, 3}));
  EXPECT_TRUE(kernel.accesses[1].place.inlinedAt.empty());
}

TEST_F(KernelFactsTest, RefusesWhatIsNoKernel) {
  EXPECT_EQ(errorOf("declare ptx_kernel void @k(ptr)"), "the kernel 'k' has no body");
  EXPECT_EQ(errorOf("define void @k() { ret void }"), "'k' is not a kernel");
}

TEST_F(KernelFactsTest, WritesEveryFactAsJson) {
  nlohmann::ordered_json json = toJson(facts(matvec));
  EXPECT_EQ(json["loops"][0]["trip_count"]["grade"], "proved");
  EXPECT_EQ(json["loops"][0]["trip_count"]["value"], "n");
  EXPECT_EQ(json["accesses"][0]["lane_stride"]["value"], 0);
  EXPECT_EQ(json["accesses"][0]["object"]["value"]["name"], "a");
  EXPECT_EQ(json["ranges"].size(), 3u);
}

TEST(InlinePtx, SplitsInstructionsAndOperands) {
  std::vector<PtxInstruction> code = parsePtx(
      "{.reg .pred p;\n setp.ne.b32 p, $2, 0;\n @p st.global.cs.v2.f32 [$0 + 8], {$1, $1}; // store\n}");
  ASSERT_EQ(code.size(), 2u);
  EXPECT_TRUE(isPtxArithmetic(code[0]));
  EXPECT_EQ(code[1].guard, "p");
  EXPECT_EQ(code[1].name(), "st.global.cs.v2.f32");
  EXPECT_EQ(ptxBytes(code[1]), 8u);
  ASSERT_EQ(code[1].operands.size(), 2u);
  EXPECT_EQ(code[1].operands[0].slot, 0u);
  EXPECT_EQ(code[1].operands[0].bytes, 8);
}

} // namespace
