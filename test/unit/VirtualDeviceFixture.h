#pragma once

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"
#include "feedback/evaluators/virtual/lowering/Compile.h"
#include "feedback/evaluators/virtual/lowering/Lower.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>

#include <cstring>
#include <fstream>

namespace warpwright::vdevice {

/// Kernels "k" in device IR that write words to their parameter "out", on the virtual device.
class VirtualDevice : public testing::Test {
protected:
  static constexpr const char *prologue = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [256 x i32] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
)";

  void parse(const std::string &body) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(prologue + body, diagnostic, context_);
    ASSERT_TRUE(module_) << diagnostic.getMessage().str() << " in line " << diagnostic.getLineNo();
  }

  /// A toolkit whose device library nobody needs.
  static ProgramOptions options() {
    std::string root = testing::TempDir() + "warpwright-toolkit";
    std::string folder = root + "/nvvm/libdevice";
    EXPECT_FALSE(llvm::sys::fs::create_directories(folder));
    std::ofstream(folder + "/libdevice.10.bc");
    ProgramOptions options;
    options.cudaPath = root;
    return options;
  }

  /// The kernel lowered, to look at.
  LoweredKernel lower(Lowering lowering, ThreadOrder order) {
    ModuleIndex index = indexModule(*module_, options());
    llvm::Expected<std::unique_ptr<llvm::TargetMachine>> host = createHostMachine();
    EXPECT_TRUE(static_cast<bool>(host));
    llvm::Expected<LoweredKernel> lowered =
        lowerKernel(*module_, index, index.kernels.at("k"), lowering, order, options(), "", **host);
    EXPECT_TRUE(static_cast<bool>(lowered));
    return std::move(*lowered);
  }

  /// The first `words` words of "out" after a launch; none where that did not end well.
  std::vector<uint32_t> run(uint32_t threads, size_t words, uint64_t orderSeed,
                            std::map<std::string, Scalar> arguments = {}) {
    llvm::Expected<std::unique_ptr<DeviceProgram>> program = DeviceProgram::create(*module_, options());
    EXPECT_TRUE(static_cast<bool>(program));
    DeviceMemory memory;
    EXPECT_FALSE(static_cast<bool>(memory.addVariables((*program)->variables())));
    LaunchRequest request;
    request.memory = &memory;
    request.launch.kernel = "k";
    request.launch.grid = {2, 1, 1};
    request.launch.block = {threads, 1, 1};
    request.launch.arguments = std::move(arguments);
    request.orderSeed = orderSeed;
    llvm::Expected<uint64_t> out = memory.addBuffer({.name = "out", .bytes = 4 * words});
    EXPECT_TRUE(static_cast<bool>(out));
    request.pointers["out"] = *out;
    const DeviceKernel *kernel = (*program)->findKernel("k");
    LaunchWatch watch({(*program)->sites(), kernel, &memory, request.launch.grid, request.launch.block, 0,
                       &(*program)->marks()},
                      {});
    if (isWatched_)
      request.monitors = watch.monitors();
    llvm::Expected<LaunchOutcome> outcome = execute(**program, *kernel, request);
    EXPECT_TRUE(static_cast<bool>(outcome));
    tally_ = {};
    for (const simt::AccessCounters &access : watch.counters().accesses)
      tally_ += access.tally;
    if (!outcome || outcome->state != LaunchOutcome::State::Done) {
      ADD_FAILURE() << (outcome ? outcome->reason : llvm::toString(outcome.takeError()));
      for (size_t i = 0; outcome && i < outcome->faults.size(); ++i)
        ADD_FAILURE() << outcome->faults[i].message();
      return {};
    }
    std::vector<uint32_t> result(words);
    std::memcpy(result.data(), memory.contents(*out).data(), 4 * words);
    return result;
  }

  bool isWatched_ = false;
  simt::AccessTally tally_; ///< of all accesses of the last run, if it was watched
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

} // namespace warpwright::vdevice
