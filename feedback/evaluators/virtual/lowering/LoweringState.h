#pragma once

#include "feedback/evaluators/virtual/lowering/ModuleIndex.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace warpwright::vdevice {

/// One kernel on its way from device IR to the host's: a module of its own with all that it reaches, which
/// the steps of lowering change in place.
struct LoweringState {
  LoweringState(llvm::Module &module, const ModuleIndex &index, const KernelIndex &kernelIndex,
                const ProgramOptions &options, Lowering lowering)
      : module(module), index(index), kernelIndex(kernelIndex), options(options), lowering(lowering) {}

  llvm::Module &module;
  const ModuleIndex &index;
  const KernelIndex &kernelIndex;
  const ProgramOptions &options;
  Lowering lowering;
  bool isWatched() const { return lowering != Lowering::Plain; }
  bool isShadowed() const { return lowering == Lowering::Shadowed; }

  llvm::Function *kernel = nullptr;
  /// Functions of the user, as against the device library's. From addContextParameters() on the first
  /// parameter of each is its ThreadContext.
  llvm::SetVector<llvm::Function *> functions;
  /// By the things of this module: what KernelIndex says of the original's.
  llvm::DenseMap<llvm::GlobalVariable *, uint64_t> sharedOffsets;
  llvm::DenseMap<llvm::GlobalVariable *, uint32_t> variables;
  llvm::DenseMap<llvm::Value *, uint64_t> localOffsets;
  llvm::DenseMap<llvm::Function *, uint64_t> recursiveFrames;
  llvm::DenseMap<llvm::BasicBlock *, uint32_t> loopOfHeader;
  uint64_t frameBytes = 0; ///< of a thread between regions
  /// The first thing met that is not covered: an intrinsic or inline PTX.
  std::string uncovered;

  void notCovered(const llvm::Twine &what) {
    if (uncovered.empty())
      uncovered = what.str();
  }

  /// Where calls and branches stand in the user's source; instructions carry indices.
  std::vector<Place> places;
  void setPlace(llvm::Instruction &instruction, const Place &place);
  /// The index as a constant for the runtime; 0 is an unknown place.
  llvm::Value *placeOf(const llvm::Instruction &instruction) const;

  /// Memory instructions carry the number of their first site through all steps up to the hooks.
  void setSite(llvm::Instruction &instruction, uint32_t site) const;
  std::optional<uint32_t> siteOf(const llvm::Instruction &instruction) const;

  /// Reads a member of the context, given by its offset, in a function that has one.
  llvm::Value *readContext(llvm::IRBuilderBase &builder, size_t offset, llvm::Type *type) const;
  llvm::Value *contextMember(llvm::IRBuilderBase &builder, size_t offset) const;

  /// Calls a function of the runtime, declaring it as the arguments and the result are.
  llvm::CallInst *callRuntime(llvm::IRBuilderBase &builder, llvm::StringRef name, llvm::Type *result,
                              llvm::ArrayRef<llvm::Value *> arguments) const;
};

} // namespace warpwright::vdevice
