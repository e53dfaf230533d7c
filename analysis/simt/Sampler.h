#pragma once

#include "analysis/simt/Warp.h"

#include <functional>
#include <string>

namespace warpwright::simt {

/// A warp of a launch: its index in the block, then the block's x, y and z.
using UnitIndex = std::array<uint64_t, 4>;

/// Sums of all warps of a launch from a few of them.
struct Estimate {
  Tally tally; ///< scaled to the launch; `steps` are those really taken
  uint64_t unitsRun = 0;
  bool complete = false; ///< every part of the grid was covered by warps that agree
};

/// Runs `runUnit` for representative warps of a grid of `extents`. A box of warps whose corners and middle
/// agree counts as that warp so many times over; one whose corners differ is cut where they differ, ends of
/// the grid first, since guards act there. When `stepBudget` is spent, what is left counts as the mean of its
/// corners.
Estimate estimateBySampling(const UnitIndex &extents, uint64_t stepBudget,
                            const std::function<Tally(const UnitIndex &)> &runUnit);

} // namespace warpwright::simt
