#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Gives operations that LLVM leaves undefined, and the host may trap on, what the device does: divisions by
/// zero, shifts by too much, floating values out of an integer's range.
void guardUndefined(LoweringState &state);

/// With -ftz: floats that are denormal are zero, as operands and as results, in the device library, too.
void flushDenormals(LoweringState &state);

/// Atomic sums of floats in global memory take denormals for zeros, and make none; in shared memory they keep
/// them. So does an H200, whatever the options; shadowed code lets them be.
void flushAtomicSums(LoweringState &state);

} // namespace warpwright::vdevice
