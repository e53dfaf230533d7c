#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Asks the monitor before every access, which may send it elsewhere.
void insertHooks(LoweringState &state);

} // namespace warpwright::vdevice
