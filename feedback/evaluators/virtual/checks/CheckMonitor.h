#pragma once

#include "feedback/evaluators/virtual/Monitor.h"
#include "feedback/evaluators/virtual/checks/BlockClocks.h"
#include "feedback/evaluators/virtual/checks/FaultLog.h"
#include "feedback/evaluators/virtual/checks/FaultWriter.h"
#include "feedback/evaluators/virtual/checks/LaunchChecks.h"
#include "feedback/evaluators/virtual/checks/ObjectMap.h"
#include "feedback/evaluators/virtual/checks/SharedShadow.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace warpwright::vdevice {

/// Finds what is wrong with the accesses of the blocks that one worker runs: out of bounds, misaligned, reads
/// of memory that nobody wrote, races. An access that is out of bounds or misaligned goes to memory of its
/// own, zero at first.
class CheckMonitor final : public Monitor {
public:
  explicit CheckMonitor(LaunchChecks &checks);

  void beginBlock(const BlockPlace &place) override;
  uint64_t access(const Access &access) override;
  void copied(const Access &access) override;
  void barrier(llvm::ArrayRef<uint32_t> threads) override { clocks_.barrier(threads); }
  void warpSync(uint32_t warp, uint32_t lanes) override { clocks_.warpSync(warp, lanes); }
  void endBlock() override { touchAllLate(); }
  void threadEnd(uint32_t thread) override { clocks_.threadEnd(thread); }
  void fence(uint32_t thread) override {
    touchAllLate();
    checks_.races().fence(synchronisation_);
  }

  std::vector<Fault> faults() const { return log_.faults(); }

private:
  uint64_t checkGlobal(const Access &access, const SiteRule &rule, const Object &object);
  void checkShared(const Access &access, const SiteRule &rule, const Object &object);
  uint64_t checkLocal(const Access &access, const SiteRule &rule, const Object &object);
  void touchLater(const BlockRaces::Touch &touch);
  void touchAllLate();
  void touchNow(const BlockRaces::Touch &touch);
  bool isRead(const Access &access, const SiteRule &rule, const Object &object) const;
  bool isWritten(const Access &access, const SiteRule &rule, const Object &object) const;

  uint64_t outOfBounds(const Access &access);
  uint64_t misaligned(const Access &access, const SiteRule &rule, const Object &object);
  void uninitialised(const Access &access, const Object &object);
  void sharedRace(const Access &access, const SiteRule &rule, const Object &object,
                  const SharedShadow::Outcome &outcome);
  void blockRace(const BlockRaces::Race &race);
  uint64_t scratch(uint64_t bytes);

  LaunchChecks &checks_;
  ObjectMap objects_;
  FaultWriter writer_;
  FaultLog log_;
  std::vector<Object> lastObject_; ///< by site: where it was last
  BlockClocks clocks_;
  SharedShadow shared_;
  std::vector<uint16_t> localWritten_; ///< by byte of all threads' locals: the number of the block that did
  uint16_t localNumber_ = 0;
  BlockRaces::Synchronisation synchronisation_;
  /// Touches of global memory that are recorded a few accesses later, when their records have come near.
  static constexpr unsigned mostLate = 16;
  std::array<BlockRaces::Touch, mostLate> late_;
  unsigned firstLate_ = 0;
  unsigned lateCount_ = 0;
  /// By address: where threads of the block take turns by hand.
  std::unordered_map<uint64_t, BlockClocks::Lock> locks_;
  Mapping scratch_;
};

} // namespace warpwright::vdevice
