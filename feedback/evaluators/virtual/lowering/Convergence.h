#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Numbers the loops of all functions, and finds the accesses that the machine predicates, once sites are
/// numbered.
void indexConvergence(const llvm::Module &module, ModuleIndex &index);

/// Tells the monitor of iterations, and of accesses that a warp issues even where no lane makes them.
void markConvergence(LoweringState &state);

} // namespace warpwright::vdevice
