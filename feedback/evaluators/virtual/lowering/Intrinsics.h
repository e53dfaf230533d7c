#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Replaces every intrinsic of the device and every function of its runtime by arithmetic, reads of the
/// context, and calls of ours. What is left over is not covered.
void lowerIntrinsics(LoweringState &state);

} // namespace warpwright::vdevice
