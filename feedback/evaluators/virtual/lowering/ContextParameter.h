#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Puts the thread's context in front of the parameters of every function of the user, and of every call that
/// may reach one. Attributes that speak of the device go; parameters passed as copies become copies that the
/// callee makes. Pointers of all address spaces in signatures become plain ones.
void addContextParameters(LoweringState &state);

} // namespace warpwright::vdevice
