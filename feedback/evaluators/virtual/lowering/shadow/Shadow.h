#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Puts a double beside every floating value of the kernel, computed by the same operations from the doubles
/// of its operands. The kernel's own values stay and decide everything that is no number: branches, indices,
/// integers, which of two a minimum is, where a number is rounded to. Memory has its doubles by address
/// (ShadowMemory). Where bits are looked into, a double would mean nothing; running there says so, and why.
/// After address spaces are resolved and before hooks are inserted; inlines what the kernel calls.
void addShadow(LoweringState &state);

} // namespace warpwright::vdevice
