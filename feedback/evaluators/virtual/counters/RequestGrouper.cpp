#include "feedback/evaluators/virtual/counters/RequestGrouper.h"

#include <cstddef>

namespace warpwright::vdevice {

void RequestGrouper::index(uint32_t number) {
  uint32_t &last = lastWithKey_[requests_[number].key];
  requests_[number].previous = last;
  last = number + 1;
}

RequestGrouper::Request &RequestGrouper::arriveElsewhere(uint32_t &cursor, uint64_t key, unsigned lane,
                                                         uint64_t &pending) {
  simt::LaneMask bit = simt::LaneMask(1) << lane;
  bool isNext = cursor == requests_.size();
  if (!isNext && !outOfOrder_) {
    outOfOrder_ = true;
    for (uint32_t number = 0; number < requests_.size(); ++number)
      index(number);
  }
  if (outOfOrder_) {
    // The earliest request with that key which the lane has not come to.
    uint32_t found = 0;
    auto last = lastWithKey_.find(key);
    for (uint32_t next = last == lastWithKey_.end() ? 0 : last->second; next;
         next = requests_[next - 1].previous)
      if (!(requests_[next - 1].arrived & bit))
        found = next;
    if (found) {
      Request &request = requests_[found - 1];
      request.arrived |= bit;
      cursor = found;
      return request;
    }
  }
  ++pending;
  Request &request = requests_.emplace_back();
  request.key = key;
  request.arrived = bit;
  if (outOfOrder_)
    index(static_cast<uint32_t>(requests_.size() - 1));
  if (isNext)
    ++cursor;
  return request;
}

void RequestGrouper::clear() {
  constexpr size_t kept = 4096;
  if (requests_.capacity() > kept)
    requests_ = {};
  requests_.clear();
  if (outOfOrder_)
    lastWithKey_.clear();
  outOfOrder_ = false;
}

} // namespace warpwright::vdevice
