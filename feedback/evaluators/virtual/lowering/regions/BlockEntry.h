#pragma once

#include "feedback/evaluators/virtual/lowering/regions/Cuts.h"

namespace warpwright::vdevice {

struct LoweringState;

/// Builds the block entry out of a thread's function that was cut: each region a loop over the threads, cuts
/// once for all. Returns the bytes that a thread needs for its variables between regions.
uint64_t buildBlockEntry(LoweringState &state, llvm::Function &thread, const CutFunction &cut);

} // namespace warpwright::vdevice
