#include "analysis/simt/HardwareRules.h"

#include <algorithm>
#include <bit>

namespace warpwright::simt {
namespace {

constexpr unsigned sectorBytes = 32;
constexpr unsigned bankBytes = 4;
constexpr unsigned banks = 32;

/// A small set of numbers, at most two for each of 32 lanes, or four words for each of them.
template <unsigned Capacity> class SmallSet {
public:
  void insert(uint64_t value) {
    for (unsigned i = size_; i-- > 0;)
      if (values_[i] == value)
        return;
    values_[size_++] = value;
  }
  unsigned size() const { return size_; }

private:
  std::array<uint64_t, Capacity> values_;
  unsigned size_ = 0;
};

/// The sectors that a warp touches, each with a bit for each of its bytes that is asked for.
class SectorSet {
public:
  /// Up to 16 bytes, which lie in one sector or two.
  void insert(uint64_t address, unsigned bytes) {
    unsigned begin = address % sectorBytes;
    unsigned here = std::min(bytes, sectorBytes - begin);
    mark(address / sectorBytes, begin, here);
    if (here < bytes)
      mark(address / sectorBytes + 1, 0, bytes - here);
  }
  unsigned size() const { return size_; }
  unsigned bytes() const {
    unsigned sum = 0;
    for (unsigned i = 0; i < size_; ++i)
      sum += std::popcount(asked_[i]);
    return sum;
  }

private:
  void mark(uint64_t sector, unsigned begin, unsigned count) {
    uint32_t bits = static_cast<uint32_t>(((uint64_t(1) << count) - 1) << begin);
    for (unsigned i = size_; i-- > 0;)
      if (sectors_[i] == sector) {
        asked_[i] |= bits;
        return;
      }
    sectors_[size_] = sector;
    asked_[size_++] = bits;
  }

  std::array<uint64_t, 2 * warpSize> sectors_;
  std::array<uint32_t, 2 * warpSize> asked_;
  unsigned size_ = 0;
};

unsigned passesOfGroup(const LaneAddresses &addresses, LaneMask group, unsigned bytes) {
  // A bank serves one word a pass, so its distinct words are what counts. Words of a bank are few: a list a
  // bank.
  std::array<SmallSet<warpSize>, banks> words;
  unsigned passes = 0;
  forEachLane(group, [&](unsigned lane) {
    uint64_t first = addresses[lane] / bankBytes;
    uint64_t last = (addresses[lane] + bytes - 1) / bankBytes;
    for (uint64_t word = first; word <= last; ++word) {
      words[word % banks].insert(word);
      passes = std::max(passes, words[word % banks].size());
    }
  });
  return passes;
}

bool partnersAgree(const LaneAddresses &addresses, LaneMask mask, unsigned distance) {
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned partner = lane ^ distance;
    bool bothOn = (mask >> lane & 1) && (mask >> partner & 1);
    if (bothOn && addresses[lane] != addresses[partner])
      return false;
  }
  return true;
}

} // namespace

unsigned countSectors(const LaneAddresses &addresses, LaneMask mask, unsigned bytes) {
  return footprintOf(addresses, mask, bytes).sectors;
}

Footprint footprintOf(const LaneAddresses &addresses, LaneMask mask, unsigned bytes) {
  SectorSet sectors;
  uint64_t first = ~uint64_t(0);
  uint64_t end = 0;
  forEachLane(mask, [&](unsigned lane) {
    sectors.insert(addresses[lane], bytes);
    first = std::min(first, addresses[lane]);
    end = std::max(end, addresses[lane] + bytes);
  });
  Footprint footprint;
  footprint.bytes = sectors.bytes();
  footprint.sectors = sectors.size();
  footprint.contiguous = mask != 0 && end - first == footprint.bytes;
  return footprint;
}

unsigned Footprint::idealSectors() const {
  return (bytes + sectorBytes - 1) / sectorBytes;
}

SharedCost costOfShared(const LaneAddresses &addresses, LaneMask mask, unsigned bytes, bool isLoad) {
  unsigned lanesAGroup = bytes <= bankBytes ? warpSize : std::max(1u, warpSize * bankBytes / bytes);
  bool paired = isLoad && lanesAGroup < warpSize &&
                (partnersAgree(addresses, mask, 1) || partnersAgree(addresses, mask, 2));
  if (paired)
    lanesAGroup *= 2;
  SharedCost cost;
  for (unsigned first = 0; first < warpSize; first += lanesAGroup) {
    LaneMask window = lanesAGroup == warpSize ? allLanes : ((LaneMask(1) << lanesAGroup) - 1) << first;
    if (!(mask & window))
      continue;
    unsigned passes = passesOfGroup(addresses, mask & window, bytes);
    cost.wavefronts += passes;
    cost.conflicts += passes - 1;
  }
  return cost;
}

} // namespace warpwright::simt
