#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace warpwright::simt {

/// Threads of a warp. The same on every NVIDIA architecture so far; CUDA's lane masks are 32 bits wide.
inline constexpr unsigned warpSize = 32;

/// One bit a lane, lane 0 in the lowest.
using LaneMask = uint32_t;
inline constexpr LaneMask allLanes = ~LaneMask(0);

/// One scalar for each lane of a warp. Integers are zero-extended, floating values are their bits.
/// A lane whose taint bit is set holds a value that depends on data the launch does not state (buffer
/// contents, clocks).
struct Slot {
  std::array<uint64_t, warpSize> lane{};
  LaneMask taint = 0;
};

/// Calls `visit(lane)` for every lane of `mask`, lowest first.
template <typename Visitor> void forEachLane(LaneMask mask, Visitor visit) {
  if (mask == allLanes) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      visit(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Replaces the taint of the lanes of `mask` only: the others may hold what an earlier loop iteration left
/// there.
inline void setTaint(Slot &slot, LaneMask mask, LaneMask taint) {
  slot.taint = (slot.taint & ~mask) | (taint & mask);
}

} // namespace warpwright::simt
