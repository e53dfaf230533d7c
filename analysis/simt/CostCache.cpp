#include "analysis/simt/CostCache.h"

#include <algorithm>
#include <bit>

namespace warpwright::simt {
namespace {

/// The largest number of lanes that have one address.
unsigned largestGroup(const LaneAddresses &addresses, LaneMask mask) {
  unsigned largest = 0;
  while (mask) {
    uint64_t address = addresses[std::countr_zero(mask)];
    LaneMask same = 0;
    forEachLane(mask, [&](unsigned lane) { same |= LaneMask(addresses[lane] == address) << lane; });
    largest = std::max<unsigned>(largest, std::popcount(same));
    mask &= ~same;
  }
  return largest;
}

RequestCost computeCost(AccessSpace space, AccessKind kind, unsigned bytes, const LaneAddresses &addresses,
                        LaneMask mask) {
  RequestCost cost;
  if (kind == AccessKind::Atomic)
    cost.sameAddressLanes = largestGroup(addresses, mask);
  if (space == AccessSpace::Shared) {
    SharedCost shared = costOfShared(addresses, mask, bytes, kind == AccessKind::Load);
    cost.wavefronts = shared.wavefronts;
    cost.bankConflicts = shared.conflicts;
    if (kind == AccessKind::Atomic)
      cost.distinctBytes = footprintOf(addresses, mask, bytes).bytes;
  } else if (space == AccessSpace::Global) {
    Footprint footprint = footprintOf(addresses, mask, bytes);
    cost.sectors = footprint.sectors;
    cost.distinctBytes = footprint.bytes;
    cost.idealSectors = footprint.idealSectors();
    cost.shifted = footprint.contiguous && footprint.sectors > footprint.idealSectors();
  }
  return cost;
}

/// All addresses of `mask` are those of `before`, moved by one multiple of `unit`.
bool isMoved(const LaneAddresses &addresses, const LaneAddresses &before, LaneMask mask, uint64_t unit) {
  unsigned lead = std::countr_zero(mask);
  uint64_t shift = addresses[lead] - before[lead];
  if (shift % unit != 0)
    return false;
  uint64_t difference = 0;
  forEachLane(mask, [&](unsigned lane) { difference |= addresses[lane] - before[lane] - shift; });
  return difference == 0;
}

} // namespace

void RequestCost::addTo(AccessTally &tally, LaneMask mask, unsigned bytes) const {
  unsigned lanes = std::popcount(mask);
  tally.instructions += 1;
  tally.requests += 1;
  tally.lanes += lanes;
  tally.bytes += uint64_t(lanes) * bytes;
  tally.sectors += sectors;
  tally.distinctBytes += distinctBytes;
  tally.idealSectors += idealSectors;
  tally.shiftedRequests += shifted;
  tally.wavefronts += wavefronts;
  tally.bankConflicts += bankConflicts;
  tally.sameAddressLanes += sameAddressLanes;
}

const RequestCost &CostCache::costOf(uint32_t site, AccessSpace space, AccessKind kind, unsigned bytes,
                                     const LaneAddresses &addresses, LaneMask mask) {
  constexpr uint64_t sectorBytes = 32, wordBytes = 4;
  Entry &entry = entries_[site];
  if (entry.mask == mask &&
      isMoved(addresses, entry.addresses, mask, space == AccessSpace::Shared ? wordBytes : sectorBytes))
    return entry.cost;
  entry = {mask, addresses, computeCost(space, kind, bytes, addresses, mask)};
  return entry.cost;
}

} // namespace warpwright::simt
