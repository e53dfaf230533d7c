#pragma once

#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/counters/ConvergenceMarks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>

#include <map>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class GlobalVariable;
class Value;
} // namespace llvm

namespace warpwright::vdevice {

/// Everything of one kernel that code and its launches must agree on.
struct KernelIndex {
  DeviceKernel kernel;
  const llvm::Function *function = nullptr;
  /// The kernel and what it may call, in program order.
  llvm::SetVector<const llvm::Function *> functions;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> sharedOffsets;
  /// Local arrays, and parameters that are passed as copies in memory: offsets in a thread's local memory,
  /// or, for functions that may call themselves, in their own frame.
  llvm::DenseMap<const llvm::Value *, uint64_t> localOffsets;
  /// Functions that may call themselves, with the size of their frame.
  llvm::DenseMap<const llvm::Function *, uint64_t> recursiveFrames;
  uint64_t recursionOffset = 0; ///< where those frames are taken from
  bool spins = false;           ///< may wait for others in loops
  bool usesFibres = false;      ///< synchronises or spins
};

/// What a module holds, by the things of the module.
struct ModuleIndex {
  std::vector<Site> sites;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> firstSite;
  ConvergenceMarks marks;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> loopOfHeader; ///< as `marks` numbers loops
  std::vector<DeviceVariable> variables;
  llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> variableOf;
  /// Variables whose initial value cannot be stated, and why.
  llvm::DenseMap<const llvm::GlobalVariable *, std::string> unreadable;
  std::map<std::string, KernelIndex> kernels; ///< by symbol
};

/// Numbers the module's memory instructions, lays out shared and local memory, and reads initial values.
ModuleIndex indexModule(const llvm::Module &module, const ProgramOptions &options);

} // namespace warpwright::vdevice
