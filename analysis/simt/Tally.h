#pragma once

#include "analysis/simt/Counters.h"

#include <cstdint>
#include <vector>

namespace warpwright::simt {

/// What is counted while warps run.
struct Tally {
  std::vector<AccessTally> sites;    ///< by site number
  std::vector<BranchTally> branches; ///< by number of the branch
  InstructionTally instructions;
  uint64_t steps = 0; ///< warp instructions interpreted, those of iterations left out not among them
  /// Branches are left out: warps that branch differently differ in what they execute. So are steps.
  bool operator==(const Tally &other) const {
    return sites == other.sites && instructions == other.instructions;
  }
};

} // namespace warpwright::simt
