#pragma once

#include "analysis/simt/CountLaunch.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace warpwright::simt {

inline constexpr const char *prologue = R"(
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

inline Launch launchOf(Dim3 grid, Dim3 block, std::map<std::string, Scalar> arguments = {}) {
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.arguments = std::move(arguments);
  return launch;
}

/// for (i = tid; i < n; i += 64) out[i] = 1
inline constexpr const char *gridLoop = R"(
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

} // namespace warpwright::simt
