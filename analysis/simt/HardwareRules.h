#pragma once

#include "analysis/simt/Lanes.h"

#include <cstdint>

namespace warpwright::simt {

/// Byte addresses of one warp-wide access; only lanes of the mask that goes with them are read.
using LaneAddresses = std::array<uint64_t, warpSize>;

/// Distinct 32-byte segments that the lanes of `mask` touch, each lane `bytes` wide (1 to 16).
/// The hardware's l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st} for one instruction.
unsigned countSectors(const LaneAddresses &addresses, LaneMask mask, unsigned bytes);

/// The bytes that one warp-wide access asks for, each counted once.
struct Footprint {
  unsigned bytes = 0;      ///< distinct bytes
  unsigned sectors = 0;    ///< distinct 32-byte segments they lie in
  bool contiguous = false; ///< they are one run without a gap

  /// Sectors that as many bytes fill when they lie together and begin with a sector.
  unsigned idealSectors() const;
};
Footprint footprintOf(const LaneAddresses &addresses, LaneMask mask, unsigned bytes);

/// What one shared-memory instruction costs.
struct SharedCost {
  unsigned wavefronts = 0; ///< passes through the 32 four-byte banks
  unsigned conflicts = 0;  ///< passes beyond one for each group of lanes that is served
};

/// Cost of a shared load or store of `bytes` a lane (1, 2, 4, 8 or 16). Lanes are served in groups whose
/// bytes fill the banks once: the whole warp up to 4 bytes, halves at 8, quarters at 16. A group takes as
/// many passes as the fullest bank holds distinct words of it, and none where all its lanes are off. Loads of
/// 8 and 16 bytes take two groups at once where in the whole warp either all lanes i and i^1 or all lanes i
/// and i^2 ask for the same address (a lane that is off agrees with any). Read with ncu on an H200 (sm_90):
/// 110 patterns of strides, broadcasts, random words and random masks, loads and stores of 1, 4, 8 and 16
/// bytes. Equal on all of them, wavefronts and conflicts.
SharedCost costOfShared(const LaneAddresses &addresses, LaneMask mask, unsigned bytes, bool isLoad);

} // namespace warpwright::simt
