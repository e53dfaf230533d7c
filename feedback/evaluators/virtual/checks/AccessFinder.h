#pragma once

#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/Mapping.h"
#include "feedback/evaluators/virtual/Monitor.h"
#include "feedback/evaluators/virtual/checks/FaultWriter.h"

#include <optional>

namespace warpwright::vdevice {

/// An address that belongs to nothing, as the host told it when a thread touched it.
struct WildAddress {
  uint64_t block = 0; ///< the linear index
  uint64_t address = 0;
  /// From the begin of the block's shared memory, which lies elsewhere when the block runs again.
  uint64_t fromShared = 0;
};

/// Finds the first access that touches such an address and is outside of everything. Whatever is outside goes
/// to memory of its own.
class AccessFinder final : public Monitor {
public:
  AccessFinder(const WatchedLaunch &launch, const WildAddress &wanted)
      : wanted_(wanted), objects_(launch), writer_(launch) {}

  void beginBlock(const BlockPlace &place) override { objects_.beginBlock(place); }
  uint64_t access(const Access &access) override;
  void barrier(llvm::ArrayRef<uint32_t>) override {}
  void warpSync(uint32_t, uint32_t) override {}
  void endBlock() override {}

  /// Nothing where no access was the one.
  const std::optional<Fault> &fault() const { return fault_; }

private:
  bool isWanted(const Access &access) const;
  void describe(const Access &access);

  WildAddress wanted_;
  ObjectMap objects_;
  FaultWriter writer_;
  std::optional<Fault> fault_;
  Mapping scratch_;
};

} // namespace warpwright::vdevice
