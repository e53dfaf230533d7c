#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Name of a function `void *(ThreadContext *, void *frame)`: starts a thread that can be suspended where it
/// waits, with its state in the frame. Without a frame it returns how many bytes one takes. The first word of
/// a frame is the function that continues the thread, null once it has ended.
inline constexpr const char *coroutineEntry = "warpwright.coroutine";

/// Turns the thread's entry into a coroutine that is suspended where it waits for others; that costs a
/// fraction of a switch of stacks. False, and nothing changed, where a function that cannot be inlined waits:
/// such threads need a stack of their own.
bool makeCoroutine(LoweringState &state);

} // namespace warpwright::vdevice
