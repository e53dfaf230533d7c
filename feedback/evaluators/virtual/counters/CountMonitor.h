#pragma once

#include "analysis/simt/CostCache.h"
#include "analysis/simt/Counters.h"
#include "analysis/simt/Pieces.h"
#include "feedback/evaluators/virtual/Monitor.h"
#include "feedback/evaluators/virtual/WatchedLaunch.h"
#include "feedback/evaluators/virtual/checks/BlockClocks.h"
#include "feedback/evaluators/virtual/counters/RequestGrouper.h"

#include <vector>

namespace warpwright::vdevice {

/// The instructions that the machine makes of one access; none where that cannot be said.
std::vector<simt::MemoryScalar> piecesOf(const Site &site);

/// Counts what the hardware would count, in the blocks that one worker runs.
///
/// Lanes run one after the other, the hardware runs them together. Visits of a site by lanes of a warp are
/// one request where they are in the same iteration of all loops around it, and no synchronisation of the
/// whole warp lies between: lanes that went apart meet again after each branch and at the end of each loop.
/// Without convergence marks (WatchedLaunch::marks), the k-th visits of all lanes are one request.
class CountMonitor final : public Monitor {
public:
  explicit CountMonitor(const WatchedLaunch &launch);

  void beginBlock(const BlockPlace &place) override;
  uint64_t access(const Access &access) override;
  void barrier(llvm::ArrayRef<uint32_t> threads) override;
  void warpSync(uint32_t warp, uint32_t lanes) override;
  void endBlock() override;
  void threadEnd(uint32_t thread) override;
  void iteration(uint32_t thread, uint32_t loop, bool first) override;
  void reached(uint32_t thread, uint32_t site) override;

  /// Tallies by site, piece and space, to be added up over workers.
  struct Totals {
    std::vector<std::vector<simt::AccessTally>> sites; ///< by site: for each piece its spaces
    std::vector<bool> unknownSites;                    ///< that ran, and cannot be counted
    bool overflowed = false; ///< too many requests between synchronisations: lanes were counted apart
  };
  const Totals &totals() const { return totals_; }

private:
  static constexpr uint32_t maxWarps = BlockClocks::maxWarps;
  static constexpr uint32_t maxThreads = BlockClocks::maxThreads;
  static constexpr uint32_t warpSize = BlockClocks::warpSize;

  /// What an access looks up first.
  struct SiteState {
    int32_t slot = -1;  ///< the site's number among those that ran, or -1
    int32_t loop = -1;  ///< the innermost around it, or -1
    int32_t guard = -1; ///< of a predicated one: the first site under its guard, or -1
  };

  uint32_t slotOf(uint32_t site) {
    int32_t slot = states_[site].slot;
    return slot >= 0 ? static_cast<uint32_t>(slot) : makeSlot(site);
  }
  uint32_t makeSlot(uint32_t site);
  RequestGrouper::Request &arrive(uint32_t slot, int32_t loop, uint32_t thread) {
    uint64_t key = loop < 0 ? 0 : loopKeys_[static_cast<size_t>(loop) * maxThreads + thread];
    return groups_[slot * maxWarps + thread / warpSize].arrive(cursors_[slot * maxThreads + thread], key,
                                                               thread % warpSize, pending_);
  }
  RequestGrouper::Request &arriveUnderGuard(uint32_t slot, uint32_t guard, uint32_t thread);
  void flushWarp(uint32_t warp);
  void flush(uint32_t slot, uint32_t warp);
  void count(uint32_t slot, const RequestGrouper::Request &request);
  void countSkipped(uint32_t slot, uint64_t requests);
  void countPiece(uint32_t slot, size_t piece, simt::AccessSpace space, const simt::LaneAddresses &addresses,
                  simt::LaneMask mask);
  simt::AccessSpace spaceOf(const Site &site, uint64_t address) const;

  WatchedLaunch launch_;
  BlockPlace place_;
  Totals totals_;
  /// By slot: the instructions it is made of, and what each costs in each space.
  struct Pieces {
    std::vector<simt::MemoryScalar> all;
    simt::CostCache costs;
  };
  std::vector<Pieces> pieces_;
  std::vector<SiteState> states_;      ///< by site
  std::vector<uint32_t> slotSites_;    ///< by slot
  std::vector<RequestGrouper> groups_; ///< by slot and warp
  std::vector<uint32_t> cursors_;      ///< by slot and thread
  /// By slot and thread: the request that reached() took last, of first sites under guards.
  std::vector<uint32_t> reached_;
  std::vector<uint64_t> loopKeys_; ///< by thread and loop: says in which iteration the thread is
  std::vector<uint64_t> iterations_;
  std::array<uint32_t, maxWarps> live_{};
  uint32_t liveThreads_ = 0;
  uint64_t pending_ = 0; ///< requests that wait for more lanes
};

/// Adds the totals of all workers up to the counters of a launch, its accesses in program order.
simt::LaunchCounters countersOf(const WatchedLaunch &launch,
                                llvm::ArrayRef<const CountMonitor::Totals *> totals);

} // namespace warpwright::vdevice
