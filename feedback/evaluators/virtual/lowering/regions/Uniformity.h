#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>

#include <optional>

namespace llvm {
class LoadInst;
} // namespace llvm

namespace warpwright::vdevice {

/// The blocks whose branches decide, directly, whether others run: control dependence.
class Controllers {
public:
  using Blocks = llvm::SmallSetVector<llvm::BasicBlock *, 4>;

  explicit Controllers(llvm::Function &function);

  const Blocks &of(const llvm::BasicBlock &block) const;
  /// Those, and what controls them, and so on.
  Blocks allOf(llvm::BasicBlock &block) const;

private:
  llvm::DenseMap<const llvm::BasicBlock *, Blocks> direct_;
};

/// What of a thread's code is the same for all threads of its block: computed from constants, parameters, the
/// block's index and extents, and results of barriers, on ways that depend on nothing else. The first
/// parameter of the function is the ThreadContext. Conservative: what is not uniform here may still be.
class Uniformity {
public:
  Uniformity(llvm::Function &function, const Controllers &controllers);

  bool isUniform(const llvm::Value &value) const;

private:
  void markDivergent(llvm::Value &value);
  void spread(llvm::Value &value);
  void spreadThroughBranch(llvm::BasicBlock &block);

  llvm::Function &function_;
  const Controllers &controllers_;
  llvm::DenseSet<const llvm::Value *> divergent_;
  llvm::SmallVector<llvm::Value *, 32> work_;
};

/// The offset of a member of the context that the load reads, or nothing. `context` is the function's first
/// parameter.
std::optional<uint64_t> contextOffset(const llvm::LoadInst &load);

/// Whether the load reads what stays the same for the thread all through a launch: members of the context,
/// parameters, addresses of variables.
bool readsFixed(const llvm::LoadInst &load);
/// And is the same for all threads of a block.
bool readsConstant(const llvm::LoadInst &load);

} // namespace warpwright::vdevice
