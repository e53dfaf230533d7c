#include "analysis/ptxas/PtxasOutput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

PtxasReport parse(llvm::StringRef text) {
  llvm::Expected<PtxasReport> report = parsePtxasOutput(text);
  if (report)
    return std::move(*report);
  ADD_FAILURE() << llvm::toString(report.takeError());
  return {};
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<PtxasReport> report = parsePtxasOutput(text);
  return report ? "no error" : llvm::toString(report.takeError());
}

constexpr const char *hopper = R"(ptxas info    : 278 bytes gmem
ptxas info    : Compiling entry function '_Z5applyI2OpIfEEvPfT_' for 'sm_90'
ptxas info    : Function properties for _Z5applyI2OpIfEEvPfT_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compile time = 2.348 ms
ptxas info    : Compiling entry function '_Z3dblPd' for 'sm_90'
ptxas info    : Function properties for _Z3dblPd
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers, used 0 barriers, 40 bytes cumulative stack size
ptxas info    : Compile time = 48.168 ms
ptxas info    : Function properties for __internal_trig_reduction_slowpathd
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_Z7boundedPf' for 'sm_90'
ptxas info    : Function properties for _Z7boundedPf
    280 bytes stack frame, 280 bytes spill stores, 320 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 280 bytes cumulative stack size, 512 bytes smem
ptxas info    : Compile time = 36.005 ms
)";

constexpr const char *turing =
    R"(ptxas warning : Value of threads per SM for entry _Z7boundedPf is out of range. .minnctapersm will be ignored
ptxas info    : 278 bytes gmem, 1024 bytes cmem[3], 40 bytes cmem[4]
ptxas info    : Compiling entry function '_Z7boundedPf' for 'sm_75'
ptxas info    : Function properties for _Z7boundedPf
    40 bytes stack frame, 36 bytes spill stores, 48 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers, 40 bytes cumulative stack size, 360 bytes cmem[0], 32 bytes cmem[2]
ptxas info    : Compile time = 9.871 ms
)";

constexpr const char *minimal = R"(ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
)";

TEST(PtxasOutput, ReadsKernelsAndTheFunctionsTheyCall) {
  const PtxasReport report = parse(hopper);
  ASSERT_EQ(report.kernels.size(), 3u);
  const KernelResources &apply = report.kernels[0];
  EXPECT_EQ(apply.symbol, "_Z5applyI2OpIfEEvPfT_");
  EXPECT_EQ(apply.architecture, "sm_90");
  EXPECT_EQ(apply.registers, 8u);
  EXPECT_FALSE(apply.spills());
  EXPECT_EQ(apply.cumulativeStackBytes, std::nullopt);
  EXPECT_DOUBLE_EQ(*apply.compileMilliseconds, 2.348);

  const KernelResources *bounded = report.find("_Z7boundedPf", "sm_90");
  ASSERT_NE(bounded, nullptr);
  EXPECT_EQ(bounded->local.stackBytes, 280u);
  EXPECT_EQ(bounded->local.spillStoreBytes, 280u);
  EXPECT_EQ(bounded->local.spillLoadBytes, 320u);
  EXPECT_TRUE(bounded->spills());
  EXPECT_EQ(bounded->cumulativeStackBytes, 280u);
  EXPECT_EQ(bounded->staticSharedBytes, 512u);
  EXPECT_EQ(bounded->barriers, 1u);

  ASSERT_EQ(report.functions.size(), 1u);
  EXPECT_EQ(report.functions[0].symbol, "__internal_trig_reduction_slowpathd");
  EXPECT_EQ(report.functions[0].architecture, "sm_90");
  EXPECT_EQ(report.warningCount(), 0u);
}

TEST(PtxasOutput, KeepsArchitecturesApart) {
  const PtxasReport report = parse(std::string(hopper) + turing);
  ASSERT_EQ(report.kernels.size(), 4u);
  const KernelResources *old = report.find("_Z7boundedPf", "sm_75");
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->registers, 64u);
  EXPECT_THAT(old->constantBytes, ElementsAre(Pair(0u, 360u), Pair(2u, 32u)));
  EXPECT_THAT(old->warnings, ElementsAre(HasSubstr(".minnctapersm will be ignored")));
  EXPECT_THAT(report.find("_Z7boundedPf", "sm_90")->warnings, IsEmpty());
  EXPECT_EQ(report.warningCount(), 1u);
  EXPECT_EQ(report.find("_Z7boundedPf", "sm_80"), nullptr);
}

TEST(PtxasOutput, KeepsWarningsWithWhatTheyName) {
  const PtxasReport report = parse(
      std::string(
          R"(ptxas info    : Overriding maximum register limit 256 for 'k' with  32 of maxrregcount option
ptxas warning : Local memory used for function 'kk', size of stack frame: 16 bytes
ptxas warning : Registers are spilled to local memory in function 'k', 16 bytes spill stores, 16 bytes spill loads
ptxas warning : Stack size for entry function 'k' cannot be statically determined
ptxas info    : (C7519) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the function 'k'
ptxas info    : Function 'k' is recursive
ptxas info    : 0 bytes gmem
)") + minimal);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_THAT(report.kernels[0].warnings,
              ElementsAre(HasSubstr("Registers are spilled"), HasSubstr("cannot be statically determined")));
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("'kk'")));
  EXPECT_THAT(report.remarks, ElementsAre(HasSubstr("Overriding"), HasSubstr("Potential Performance Loss"),
                                          HasSubstr("is recursive")));
  EXPECT_EQ(report.warningCount(), 3u);
}

TEST(PtxasOutput, ReadsSeparateCompilation) {
  const PtxasReport report = parse(R"(ptxas info    : 0 bytes gmem
ptxas info    : Function properties for _Z6calleef
    72 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compile time = 8.473 ms
ptxas info    : Compiling entry function '_Z5callsPf' for 'sm_90'
ptxas info    : Function properties for _Z5callsPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers
ptxas info    : Compile time = 7.190 ms
)");
  ASSERT_EQ(report.functions.size(), 1u);
  EXPECT_EQ(report.functions[0].local.stackBytes, 72u);
  EXPECT_EQ(report.functions[0].architecture, "sm_90"); // which only the kernel after it tells
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(*report.kernels[0].compileMilliseconds, 7.190);
}

TEST(PtxasOutput, FunctionsAloneHaveNoArchitecture) {
  const PtxasReport report = parse(R"(ptxas info    : 0 bytes gmem
ptxas info    : Function properties for _Z6calleef
    72 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
)");
  ASSERT_EQ(report.functions.size(), 1u);
  EXPECT_EQ(report.functions[0].architecture, "");
}

TEST(PtxasOutput, ReadsOldToolkits) {
  const PtxasReport report = parse(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_70'
ptxas info    : Function properties for k
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 24 bytes lmem, 376 bytes cmem[0], 1 textures
)");
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].localBytes, 24u);
  EXPECT_EQ(report.kernels[0].textures, 1u);
  EXPECT_THAT(report.kernels[0].constantBytes, ElementsAre(Pair(0u, 376u)));
  EXPECT_EQ(report.kernels[0].compileMilliseconds, std::nullopt);
}

TEST(PtxasOutput, PassesOverOtherTools) {
  const PtxasReport report =
      parse(std::string(R"(k.cu(3): warning #177-D: variable "x" was declared but never referenced
    int x;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

)") + minimal +
            "\r\n");
  EXPECT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.warningCount(), 0u);
  EXPECT_TRUE(parse("").kernels.empty());
}

TEST(PtxasOutput, QuotesWhatItDoesNotUnderstand) {
  const std::string head = R"(ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
)";
  const std::string properties = "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
  EXPECT_EQ(errorOf(head + "    0 bytes stack frame, 0 bytes spill stores\n"),
            "ptxas: stack and spills not understood, after 'ptxas info    : Function properties for k': "
            "'0 bytes stack frame, 0 bytes spill stores'");
  EXPECT_EQ(errorOf(head + properties + "ptxas info    : Used 8 registers, 3 wonders\n"),
            "ptxas: '3 wonders' not understood: 'ptxas info    : Used 8 registers, 3 wonders'");
  EXPECT_EQ(errorOf(head + properties + "ptxas info    : Used many registers\n"),
            "ptxas: registers not understood: 'ptxas info    : Used many registers'");
  EXPECT_EQ(errorOf(head + properties + "ptxas info    : Used 8 registers;\n"),
            "ptxas: ';' not understood: 'ptxas info    : Used 8 registers;'");
  EXPECT_EQ(errorOf("ptxas info    : Spilled a lot\n"),
            "ptxas: line not understood: 'ptxas info    : Spilled a lot'");
  EXPECT_EQ(errorOf("ptxas advice  : Spill less\n"),
            "ptxas: line not understood: 'ptxas advice  : Spill less'");
  EXPECT_EQ(errorOf("ptxas info    : 12 bytes gmem, 3 bytes elsewhere\n"),
            "ptxas: sizes of the module not understood: 'ptxas info    : 12 bytes gmem, 3 bytes elsewhere'");
  EXPECT_EQ(
      errorOf("ptxas info    : Compiling entry function k for sm_90\n"),
      "ptxas: name of the kernel not understood: 'ptxas info    : Compiling entry function k for sm_90'");
  EXPECT_EQ(errorOf(std::string(minimal) + "ptxas info    : Compile time = soon\n"),
            "ptxas: time not understood: 'ptxas info    : Compile time = soon'");
}

TEST(PtxasOutput, MissingNumbersAreNotZero) {
  const std::string begin = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n";
  const std::string quoted = "'ptxas info    : Compiling entry function 'k' for 'sm_90''";
  EXPECT_EQ(errorOf(begin), "ptxas: no stack and spills for this kernel: " + quoted);
  EXPECT_EQ(errorOf(begin +
                    "ptxas info    : Function properties for k\n    0 bytes stack frame, 0 bytes spill "
                    "stores, 0 bytes spill loads\n"),
            "ptxas: no registers for this kernel: 'ptxas info    : Function properties for k'");
  EXPECT_EQ(errorOf(begin + "ptxas info    : Function properties for k"),
            "ptxas: the text ends after this line: 'ptxas info    : Function properties for k'");
  EXPECT_EQ(errorOf("ptxas info    : Used 8 registers, used 0 barriers\n"),
            "ptxas: registers of no kernel: 'ptxas info    : Used 8 registers, used 0 barriers'");
  EXPECT_EQ(errorOf("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"),
            "ptxas: stack and spills of no function: "
            "'0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'");
  EXPECT_EQ(errorOf(std::string(minimal) + minimal), "ptxas: the same kernel a second time: " + quoted);
}

TEST(PtxasOutput, FailureOfPtxasIsAnError) {
  EXPECT_EQ(errorOf(std::string(
                        "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 "
                        "max)\n") +
                    minimal),
            "ptxas: it failed: 'ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, "
            "0xc000 "
            "max)'");
}

} // namespace
