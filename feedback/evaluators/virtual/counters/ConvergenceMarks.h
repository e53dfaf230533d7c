#pragma once

#include <cstdint>
#include <vector>

namespace warpwright::vdevice {

/// How lanes of a warp meet again after they went apart, as far as counting needs it: the loops of a program,
/// and the accesses that the machine predicates.
struct ConvergenceMarks {
  static constexpr int32_t none = -1;

  std::vector<int32_t> loopParent; ///< by loop: the one around it
  std::vector<int32_t> siteLoop;   ///< by site: the innermost loop around it
  /// By site that is predicated: the first one under the same guard, for which Monitor::reached() comes
  /// before the accesses of all of them.
  std::vector<int32_t> siteGuard;
};

} // namespace warpwright::vdevice
