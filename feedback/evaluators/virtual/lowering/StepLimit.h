#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Counts the iterations of loops whose end is not in sight, so that one which never ends is found, and so
/// that a thread which waits for another lets it run.
void limitSteps(LoweringState &state);

} // namespace warpwright::vdevice
