#pragma once

#include "feedback/evaluators/virtual/lowering/regions/Uniformity.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>

#include <optional>
#include <vector>

namespace llvm {
class AllocaInst;
class DominatorTree;
} // namespace llvm

namespace warpwright::vdevice {

/// The code that each thread runs between two cuts.
struct Region {
  llvm::BasicBlock *start = nullptr;
  llvm::SmallSetVector<llvm::BasicBlock *, 16> blocks;
  llvm::BasicBlock *end = nullptr; ///< the cut that all threads come to; null: they end
};

/// A thread's function cut into regions. Cuts are blocks of their own, which hold a barrier and a jump, a
/// branch that is the same for all threads, or a jump alone, and what loads and stores these need.
struct CutFunction {
  llvm::SmallSetVector<llvm::BasicBlock *, 16> cuts;
  std::vector<Region> regions; ///< the first is that of the function's entry
  /// Values that live across cuts, as variables; true: the same for all threads. The function's own variables
  /// are not among them.
  llvm::MapVector<llvm::AllocaInst *, bool> slots;
  /// What is the same for all threads and may be computed in front of everything, in an order in which that
  /// can be done.
  llvm::SmallSetVector<llvm::Instruction *, 32> hoisted;
  /// Calls that tell a monitor of iterations between any two of which the block comes to a barrier: nothing
  /// that it need know.
  llvm::SmallPtrSet<llvm::Instruction *, 8> needless;
};

/// Cuts a function that waits at barriers alone. It means the same afterwards, whether or not that worked
/// out: nothing where threads may come to different barriers, or the code would grow too large.
std::optional<CutFunction> cutIntoRegions(llvm::Function &function);

} // namespace warpwright::vdevice
