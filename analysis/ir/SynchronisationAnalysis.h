#pragma once

#include "analysis/ir/KernelView.h"

namespace warpwright {

/// Barriers, warp-level exchanges, fences and waits in program order, intrinsics and inline PTX alike.
std::vector<Synchronisation> analyseSynchronisations(const KernelView &view);

/// True for an instruction at which all threads of a block wait for each other.
bool isBlockBarrier(const llvm::Instruction &instruction);

} // namespace warpwright
