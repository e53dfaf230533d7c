#include "feedback/evaluators/virtual/checks/BlockClocks.h"

#include <algorithm>
#include <bit>

namespace warpwright::vdevice {

/// Far below what a stamp holds, so that no block runs over it: one synchronisation a tick.
static constexpr uint32_t lastTick = uint32_t(1) << 30;

bool BlockClocks::beginBlock(uint32_t threads) {
  warps_ = (threads + warpSize - 1) / warpSize;
  uint32_t latest = std::max(blockStart_, *std::max_element(tick_.begin(), tick_.end()));
  bool anew = latest >= lastTick;
  blockStart_ = anew ? 1 : latest + 1;
  known_ = blockStart_;
  anyFew_ = false;
  liveThreads_ = threads;
  for (uint32_t warp = 0; warp < maxWarps; ++warp) {
    uint32_t lanes = warp < warps_ ? std::min(warpSize, threads - warp * warpSize) : 0;
    live_[warp] = lanes == warpSize ? ~uint32_t(0) : (uint32_t(1) << lanes) - 1;
    tick_[warp] = blockStart_;
  }
  if (!anew)
    return false;
  knownInWarp_.fill(0);
  for (auto &known : knownOfWarp_)
    known.fill(0);
  knownOfLane_.clear();
  return true;
}

void BlockClocks::threadEnd(uint32_t thread) {
  uint32_t bit = uint32_t(1) << (thread % warpSize);
  if (!(live_[thread / warpSize] & bit))
    return;
  live_[thread / warpSize] &= ~bit;
  --liveThreads_;
}

void BlockClocks::barrier(llvm::ArrayRef<uint32_t> threads) {
  if (!isWholeBlock(threads)) {
    uint32_t warps = 0;
    for (uint32_t thread : threads)
      warps |= uint32_t(1) << (thread / warpSize);
    return barrierOfWarps(warps);
  }
  uint32_t next = *std::max_element(tick_.begin(), tick_.begin() + warps_) + 1;
  std::fill(tick_.begin(), tick_.begin() + warps_, next);
  known_ = next;
  anyFew_ = false;
}

/// A barrier of some warps: each comes to know what any of them knew, and what each of them did. Named
/// barriers count whole warps, so that lanes need no distinction.
void BlockClocks::barrierOfWarps(uint32_t warps) {
  anyFew_ = true;
  std::array<uint32_t, maxWarps> known{};
  for (uint32_t set = warps; set; set &= set - 1) {
    uint32_t warp = std::countr_zero(set);
    for (uint32_t other = 0; other < warps_; ++other)
      known[other] = std::max(known[other], knownOfWarp_[warp][other]);
  }
  for (uint32_t set = warps; set; set &= set - 1) {
    uint32_t warp = std::countr_zero(set);
    known[warp] = ++tick_[warp];
    knownInWarp_[warp] = tick_[warp];
  }
  for (uint32_t set = warps; set; set &= set - 1)
    knownOfWarp_[std::countr_zero(set)] = known;
}

void BlockClocks::warpSync(uint32_t warp, uint32_t lanes) {
  anyFew_ = true;
  uint32_t next = ++tick_[warp];
  if ((lanes & live_[warp]) == live_[warp]) {
    knownInWarp_[warp] = next;
    return;
  }
  if (std::has_single_bit(lanes))
    return;
  if (knownOfLane_.empty())
    knownOfLane_.resize(maxWarps);
  LaneMatrix &matrix = knownOfLane_[warp];
  std::array<uint32_t, warpSize> known{};
  for (uint32_t set = lanes; set; set &= set - 1)
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      known[lane] = std::max(known[lane], matrix[std::countr_zero(set)][lane]);
  for (uint32_t set = lanes; set; set &= set - 1)
    known[std::countr_zero(set)] = next;
  for (uint32_t set = lanes; set; set &= set - 1)
    matrix[std::countr_zero(set)] = known;
}

void BlockClocks::meet(Lock &lock, uint32_t thread) {
  anyFew_ = true;
  uint32_t warp = thread / warpSize;
  std::array<uint32_t, maxWarps> &mine = knownOfWarp_[warp];
  if (lock.used) {
    for (uint32_t other = 0; other < warps_; ++other)
      mine[other] = std::max(mine[other], lock.known[other]);
    knownInWarp_[warp] = std::max(knownInWarp_[warp], lock.known[warp]);
  }
  lock.used = true;
  lock.known = mine;
  lock.known[warp] = ++tick_[warp];
}

bool BlockClocks::isOrderedByFew(Stamp stamp, uint32_t thread) const {
  uint32_t mine = thread / warpSize;
  uint32_t theirs = stamp.thread() / warpSize;
  if (mine != theirs)
    return stamp.tick() < knownOfWarp_[mine][theirs];
  if (stamp.tick() < knownInWarp_[mine])
    return true;
  return !knownOfLane_.empty() &&
         stamp.tick() < knownOfLane_[mine][thread % warpSize][stamp.thread() % warpSize];
}

} // namespace warpwright::vdevice
