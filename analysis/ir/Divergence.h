#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace warpwright {

/// Which values and branches may differ between the lanes of a warp, whatever the block's shape.
/// Conservative: what is not known to be uniform is divergent. LLVM's own analysis for this target takes
/// every call for divergent, reads of blockIdx and blockDim included, which leaves next to nothing uniform.
///
/// Differences start at thread and lane indices, atomics, shuffles, unknown calls and local memory. They
/// spread to users, to phis where the two sides of a divergent branch meet, and to uses behind a loop that
/// lanes leave in different iterations.
class Divergence {
public:
  Divergence(llvm::Function &function, llvm::DominatorTree &dominators, const llvm::LoopInfo &loops);

  bool isUniform(const llvm::Value *value) const { return !divergent_.contains(value); }
  /// A value that is uniform within a loop may still differ where it is used behind it.
  bool isDivergentUse(const llvm::Use &use) const;
  bool hasDivergentTerminator(const llvm::BasicBlock &block) const {
    return divergentExits_.contains(&block);
  }

private:
  void markDivergent(const llvm::Instruction *instruction);
  void markBranch(const llvm::BasicBlock *block);
  void markJoins(const llvm::BasicBlock *block);
  void markUsesBehind(const llvm::Loop *loop);

  llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  llvm::DenseSet<const llvm::Value *> divergent_;
  llvm::DenseSet<const llvm::BasicBlock *> divergentExits_;
  llvm::DenseSet<const llvm::Loop *> loopsLeftApart_; ///< their exit is divergent
  llvm::SmallVector<const llvm::Instruction *> work_;
};

} // namespace warpwright
