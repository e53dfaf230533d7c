#pragma once

namespace warpwright::vdevice {

struct LoweringState;

/// Adds a block entry to a kernel whose threads wait at barriers alone, and all at the same ones: between two
/// of them the code of a thread runs in a loop over the threads. Takes the thread's entry in exchange, and
/// sets LoweringState::frameBytes. False where that cannot be proved; the thread's entry then means what it
/// did. The docs' page on the virtual device says how.
bool makeRegions(LoweringState &state);

} // namespace warpwright::vdevice
