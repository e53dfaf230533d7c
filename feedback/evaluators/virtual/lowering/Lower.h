#pragma once

#include "feedback/evaluators/virtual/lowering/ModuleIndex.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace warpwright::vdevice {

/// A kernel as code for the host, not yet compiled.
struct LoweredKernel {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  bool recursive = false;
  uint64_t frameBytes = 0;   ///< as CompiledKernel has it
  std::vector<Place> places; ///< by the numbers that the code hands to the runtime
  std::string uncovered;     ///< the intrinsic or inline PTX that is not covered; no code then
};

/// In which order the threads of a block start.
enum class ThreadOrder { Ascending, Any };

/// Lowers one kernel of the module that the index is of. `library` is the path of libdevice.
llvm::Expected<LoweredKernel> lowerKernel(const llvm::Module &source, const ModuleIndex &index,
                                          const KernelIndex &kernel, Lowering lowering, ThreadOrder order,
                                          const ProgramOptions &options, llvm::StringRef library,
                                          llvm::TargetMachine &host);

} // namespace warpwright::vdevice
