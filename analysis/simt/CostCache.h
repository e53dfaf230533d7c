#pragma once

#include "analysis/simt/Counters.h"
#include "analysis/simt/HardwareRules.h"

#include <cstdint>
#include <vector>

namespace warpwright::simt {

/// What one request costs.
struct RequestCost {
  unsigned sectors = 0, distinctBytes = 0,
           idealSectors = 0; ///< global; distinct bytes of shared atomics, too
  bool shifted = false;
  unsigned wavefronts = 0, bankConflicts = 0; ///< shared
  unsigned sameAddressLanes = 0;              ///< atomics

  /// Counts one request of these lanes, each `bytes` wide.
  void addTo(AccessTally &tally, LaneMask mask, unsigned bytes) const;
};

/// Remembers the last request of each site. A warp that comes by again mostly asks for the same bytes further
/// on, and then the cost is the same: sectors do not change when all addresses move by whole sectors, and
/// bank conflicts do not when they move by whole words, which only renames the banks.
class CostCache {
public:
  explicit CostCache(size_t sites) : entries_(sites) {}

  /// The cost of a request of `bytes` (1 to 16) a lane at `site`, which is in one space and of one kind and
  /// width for good.
  const RequestCost &costOf(uint32_t site, AccessSpace space, AccessKind kind, unsigned bytes,
                            const LaneAddresses &addresses, LaneMask mask);

private:
  struct Entry {
    LaneMask mask = 0;
    LaneAddresses addresses;
    RequestCost cost;
  };
  std::vector<Entry> entries_;
};

} // namespace warpwright::simt
