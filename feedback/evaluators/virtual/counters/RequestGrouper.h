#pragma once

#include "analysis/simt/HardwareRules.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpwright::vdevice {

/// The visits that lanes of a warp pay to one site, put together to requests although the lanes run one
/// after the other: those of the same key are one request, the k-th visit of a lane with that key the k-th
/// request with it.
class RequestGrouper {
public:
  struct Request {
    uint64_t key = 0;
    simt::LaneMask arrived = 0; ///< lanes that came to the site, with or without making the access
    simt::LaneMask lanes = 0;   ///< lanes that made it
    uint32_t previous = 0;      ///< one more than the number of the request before with this key
    simt::LaneAddresses addresses;
  };

  /// The request that this visit of a lane belongs to, with its bit set in `arrived`. `cursor` is the lane's
  /// own place in the sequence, zero at first. A new request adds one to `pending`.
  Request &arrive(uint32_t &cursor, uint64_t key, unsigned lane, uint64_t &pending) {
    if (cursor < requests_.size()) {
      Request &next = requests_[cursor];
      if (next.key == key && !(next.arrived >> lane & 1)) {
        next.arrived |= simt::LaneMask(1) << lane;
        ++cursor;
        return next;
      }
    }
    return arriveElsewhere(cursor, key, lane, pending);
  }
  /// Whether the lane came to the request of that number.
  bool hasArrived(uint32_t number, unsigned lane) const {
    return number < requests_.size() && (requests_[number].arrived >> lane & 1);
  }
  /// Whether the lane made the access of that request.
  bool hasLane(uint32_t number, unsigned lane) const {
    return number < requests_.size() && (requests_[number].lanes >> lane & 1);
  }
  /// The request of that number, for sites whose numbers others give. New requests are added to `pending`.
  Request &at(uint32_t number, uint64_t &pending) {
    if (number >= requests_.size()) {
      pending += number + 1 - requests_.size();
      requests_.resize(number + 1);
    }
    return requests_[number];
  }
  uint32_t numberOf(const Request &request) const {
    return static_cast<uint32_t>(&request - requests_.data());
  }

  const std::vector<Request> &requests() const { return requests_; }
  void clear();

private:
  Request &arriveElsewhere(uint32_t &cursor, uint64_t key, unsigned lane, uint64_t &pending);
  void index(uint32_t number);

  std::vector<Request> requests_;
  /// Some lane left out what an earlier one did: requests are not in the order in which all lanes come.
  bool outOfOrder_ = false;
  std::unordered_map<uint64_t, uint32_t> lastWithKey_; ///< number plus one; only when out of order
};

} // namespace warpwright::vdevice
