#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Names of the two functions through which execution enters a kernel, each a KernelEntry: one thread, and
/// all threads of a block in a loop.
inline constexpr const char *threadEntry = "warpwright.thread";
inline constexpr const char *blockEntry = "warpwright.block";

/// Adds them. The kernel is inlined into both, so that what is the same for all threads is seen to be.
void addEntries(LoweringState &state);

} // namespace warpwright::vdevice
