#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Gives operations that LLVM leaves undefined, and the host may trap on, what the device does: divisions by
/// zero, shifts by too much, floating values out of an integer's range.
void guardUndefined(LoweringState &state);

/// With -ftz: floats that are denormal are zero, as operands and as results.
void flushDenormals(LoweringState &state);

} // namespace warpwright::vdevice
