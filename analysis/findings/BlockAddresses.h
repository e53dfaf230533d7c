#pragma once

#include "analysis/KernelAnalysis.h"

#include <llvm/ADT/ArrayRef.h>

#include <optional>
#include <vector>

namespace warpwright {

/// How the threads of one block share what a set of accesses asks for, in elements of the accesses' width.
struct BlockSharing {
  uint64_t requested = 0;    ///< by every thread in every iteration looked at
  uint64_t threadUnique = 0; ///< distinct elements of each thread, summed over threads
  uint64_t blockUnique = 0;  ///< distinct elements of the block
  bool warpUniform = true;   ///< in every request all lanes of a warp ask for one element
  /// Threads of the block that want an element, on average.
  double threadsPerElement() const { return blockUnique ? double(threadUnique) / double(blockUnique) : 0; }
};

/// Evaluates symbolic offsets for one block of a launch, thread by thread: concrete where the symbols are.
class BlockAddresses {
public:
  BlockAddresses(const KernelAnalysis &analysis, const LaunchEvaluation &evaluation)
      : analysis_(analysis), launch_(evaluation.launch) {}

  uint64_t threads() const { return launch_.block.count(); }

  /// Byte offset for thread `thread` (linear in the block) with the loops at `iterations`, which is indexed
  /// by loop id. Values that the block fixes but nobody knows count as zero: they move all threads alike.
  /// None where data or unreadable arithmetic decides per thread.
  std::optional<int64_t> offset(const Expression &offset, uint64_t thread,
                                llvm::ArrayRef<int64_t> iterations) const;

  /// Over the first iterations of all loops around each access, so many that windows of up to 16 show. None
  /// where an offset cannot be evaluated, or where the block has one thread.
  std::optional<BlockSharing> sharing(llvm::ArrayRef<const MemoryAccess *> accesses) const;

  /// Iterations of the loop in this launch, where its trip count is known.
  std::optional<int64_t> tripCount(unsigned loop) const;

private:
  std::optional<int64_t> valueOf(const Symbol &symbol, uint64_t thread,
                                 llvm::ArrayRef<int64_t> iterations) const;
  std::vector<std::vector<int64_t>> iterationsAround(const MemoryAccess &access, uint64_t most) const;

  const KernelAnalysis &analysis_;
  const Launch &launch_;
};

} // namespace warpwright
