#include "feedback/evaluators/cuda/DeviceCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using ::testing::ElementsAre;

namespace {

NvccInvocation understand(const std::vector<std::string> &arguments) {
  llvm::Expected<NvccInvocation> invocation = adjustArguments(arguments, "/", NvccEnvironment());
  if (invocation)
    return std::move(*invocation);
  ADD_FAILURE() << llvm::toString(invocation.takeError());
  return {};
}

std::string targetOf(const std::vector<std::string> &arguments, llvm::StringRef device) {
  llvm::Expected<NvccTarget> target = targetFor(understand(arguments), device);
  return target ? target->generateCode() : llvm::toString(target.takeError());
}

TEST(TargetFor, TakesTheMachineCodeThatTheDeviceRuns) {
  EXPECT_EQ(targetOf({"-arch=sm_90", "-c", "k.cu"}, "sm_90"), "arch=compute_90,code=sm_90");
  EXPECT_EQ(targetOf({"-arch=sm_90a", "-c", "k.cu"}, "sm_90"), "arch=compute_90a,code=sm_90a");
  EXPECT_EQ(
      targetOf({"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_80,code=sm_86", "-c", "k.cu"},
               "sm_89"),
      "arch=compute_80,code=sm_86");
}

TEST(TargetFor, TakesThePtxThatTheDriverWouldCompile) {
  EXPECT_EQ(targetOf({"-arch=sm_80", "-c", "k.cu"}, "sm_90"), "arch=compute_80,code=sm_90");
  EXPECT_EQ(targetOf({"-gencode=arch=compute_80,code=sm_80", "-c", "k.cu"}, "sm_90"),
            "the command makes nothing that runs on sm_90");
  EXPECT_EQ(targetOf({"-arch=sm_100", "-c", "k.cu"}, "sm_90"),
            "the command makes nothing that runs on sm_90");
}

TEST(TargetFor, LeavesSeparateCompilationAlone) {
  EXPECT_EQ(targetOf({"-arch=sm_90", "-rdc=true", "-c", "k.cu"}, "sm_90"),
            "it is compiled separately, and not whole before it is linked");
}

TEST(DeviceFlags, AreThoseThatBearOnDeviceCode) {
  NvccInvocation invocation =
      understand({"-arch=sm_90", "-O3", "-use_fast_math", "-DN=4", "-I/somewhere", "-isystem", "/elsewhere",
                  "-Xcompiler=-fPIC", "-MD", "-MF", "k.d", "-c", "k.cu", "-o", "k.o"});
  EXPECT_THAT(deviceFlags(invocation, analysisTargets(invocation).front()),
              ElementsAre("-use_fast_math", "-DN=4", "-gencode=arch=compute_90,code=sm_90"));
}

} // namespace
