#pragma once

#include "analysis/KernelAnalysis.h"

#include <llvm/IR/Instructions.h>

#include <vector>

namespace warpwright {

/// A load of a pointer parameter that a store through another one keeps from being merged with an earlier
/// load of the same address, or from leaving a loop: nothing but the possible overlap of the two buffers
/// stands in the way.
struct AliasedLoad {
  const llvm::LoadInst *load = nullptr;
  const llvm::LoadInst *earlier = nullptr; ///< of the same address; null where a loop repeats the load itself
  const llvm::StoreInst *store = nullptr;  ///< the last one before the load that is in the way
  const llvm::Argument *read = nullptr;    ///< the parameter that is loaded from
  const llvm::Argument *written = nullptr; ///< the parameter that the store writes through
};

/// All of them in the code-generation view, in program order. A barrier, an atomic operation, a call, or a
/// store through the same parameter between the two loads is a reason of its own, and so is a branch around:
/// such loads are left out.
std::vector<AliasedLoad> findAliasedLoads(const KernelAnalysis &analysis);

} // namespace warpwright
