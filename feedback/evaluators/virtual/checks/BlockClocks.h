#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <array>
#include <cstdint>
#include <vector>

namespace warpwright::vdevice {

/// Who touched something, from where, and when by the clock of its warp: one word, zero for nobody.
class Stamp {
public:
  Stamp() = default;
  Stamp(uint32_t tick, uint32_t thread, uint32_t site, bool atomic)
      : bits_(uint64_t(tick) << 33 | uint64_t(atomic) << 32 | uint64_t(thread) << 22 |
              (site & ((1u << 22) - 1))) {}
  uint32_t tick() const { return static_cast<uint32_t>(bits_ >> 33); }
  bool atomic() const { return bits_ >> 32 & 1; }
  uint32_t thread() const { return bits_ >> 22 & 1023; }
  uint32_t site() const { return bits_ & ((1u << 22) - 1); }
  explicit operator bool() const { return bits_ != 0; }

private:
  uint64_t bits_ = 0;
};

/// What happens before what among the threads of one block. Each warp has a clock that ticks at every
/// synchronisation in which one of its lanes takes part; a thread knows, of each other thread, up to which
/// tick its accesses happened before its own. The state of n * n numbers that this takes is kept for warps of
/// a block, and for lanes of a warp; barriers of the whole block and of whole warps, which is nearly all
/// there are, reduce to one number each. Ticks go on from block to block, so that stamps of earlier blocks
/// are ordered before all, and nothing need be cleared.
class BlockClocks {
public:
  static constexpr uint32_t warpSize = 32;
  static constexpr uint32_t maxThreads = 1024;
  static constexpr uint32_t maxWarps = maxThreads / warpSize;

  /// True where the clock has begun anew: stamps that were taken before mean nothing, and must be forgotten.
  bool beginBlock(uint32_t threads);
  void threadEnd(uint32_t thread);
  void barrier(llvm::ArrayRef<uint32_t> threads);
  void warpSync(uint32_t warp, uint32_t lanes);

  /// What the threads that took turns at one place in memory have told each other there.
  struct Lock {
    bool used = false;
    std::array<uint32_t, maxWarps> known{}; ///< of each warp, up to which tick
  };
  /// The thread takes or gives back a lock made by hand: what those did who had it before happened before.
  /// Told for whole warps, which may hide a race and makes none up.
  void meet(Lock &lock, uint32_t thread);

  uint32_t now(uint32_t thread) const { return tick_[thread / warpSize]; }
  /// Whether the stamp was taken in this block.
  bool isOfThisBlock(Stamp stamp) const { return stamp.tick() >= blockStart_; }
  /// Whether what the stamp tells of happened before what `thread` does now.
  bool isOrdered(Stamp stamp, uint32_t thread) const {
    return stamp.tick() < known_ || stamp.thread() == thread || (anyFew_ && isOrderedByFew(stamp, thread));
  }
  /// Lanes of a warp that have not returned.
  uint32_t liveLanes(uint32_t warp) const { return live_[warp]; }
  /// Whether these are all threads that have not returned.
  bool isWholeBlock(llvm::ArrayRef<uint32_t> threads) const { return threads.size() >= liveThreads_; }

private:
  using LaneMatrix = std::array<std::array<uint32_t, warpSize>, warpSize>;

  bool isOrderedByFew(Stamp stamp, uint32_t thread) const;
  void barrierOfWarps(uint32_t warps);

  uint32_t warps_ = 0;
  uint32_t blockStart_ = 1; ///< the first tick of this block
  uint32_t known_ = 1;      ///< accesses before this tick happened before everything from now on
  /// Whether since then some, but not all, threads have synchronised.
  bool anyFew_ = false;
  uint32_t liveThreads_ = 0;
  std::array<uint32_t, maxWarps> live_{};
  std::array<uint32_t, maxWarps> tick_{};
  /// Of each warp, the tick before which its lanes know each other.
  std::array<uint32_t, maxWarps> knownInWarp_{};
  /// [w][v]: the tick before which warp w knows warp v.
  std::array<std::array<uint32_t, maxWarps>, maxWarps> knownOfWarp_{};
  /// [w][l][m]: the tick before which lane l of warp w knows lane m; made when a part of a warp first
  /// synchronises.
  std::vector<LaneMatrix> knownOfLane_;
};

} // namespace warpwright::vdevice
