#pragma once

#include <cstdint>
#include <vector>

namespace warpwright::vdevice {

/// How lanes of a warp meet again after they went apart, as far as counting needs it: the loops of a program,
/// and the accesses that the machine predicates.
struct ConvergenceMarks {
  static constexpr int32_t none = -1;

  std::vector<int32_t> loopParent;       ///< by loop: the one around it
  std::vector<int32_t> siteLoop;         ///< by site: the innermost loop around it
  std::vector<uint8_t> siteIsPredicated; ///< by site: Monitor::reached() comes before each access
};

} // namespace warpwright::vdevice
