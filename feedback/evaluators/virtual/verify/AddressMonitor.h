#pragma once

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Monitor.h"

#include <optional>
#include <vector>

namespace warpwright::vdevice {

/// Looks at addresses alone: counts accesses, keeps how far each buffer was touched and who last wrote one
/// byte, and sends what lies in no object elsewhere. Passes everything on to another monitor, which then
/// decides on addresses.
class AddressMonitor final : public Monitor {
public:
  struct Store {
    uint32_t site = 0;
    uint32_t thread = 0;
    uint64_t block = 0;
  };

  /// `next` may be null. `sharedBytes` a block has.
  AddressMonitor(const DeviceMemory &memory, uint64_t sharedBytes, Monitor *next)
      : memory_(memory), ranges_(memory.ranges()), touched_(ranges_.size()), sharedBytes_(sharedBytes),
        next_(next) {}

  void watch(uint64_t address) { watched_ = address; }

  void beginBlock(const BlockPlace &place) override;
  uint64_t access(const Access &access) override;
  void barrier(llvm::ArrayRef<uint32_t> threads) override;
  void warpSync(uint32_t warp, uint32_t lanes) override;
  void endBlock() override;
  void threadEnd(uint32_t thread) override;
  void fence(uint32_t thread) override;
  void copied(const Access &access) override;
  void iteration(uint32_t thread, uint32_t loop, bool first) override;
  void reached(uint32_t thread, uint32_t site) override;

  uint64_t accesses() const { return accesses_; }
  /// Some access lay in no object.
  bool hasStrayed() const { return strayed_; }
  /// By position in DeviceMemory::ranges().
  llvm::ArrayRef<uint64_t> touched() const { return touched_; }
  const std::optional<Store> &lastStore() const { return lastStore_; }

private:
  bool touchGlobal(const Access &access);
  uint64_t stray(uint64_t bytes);

  const DeviceMemory &memory_;
  llvm::ArrayRef<MemoryRange> ranges_;
  std::vector<uint64_t> touched_;
  uint64_t sharedBytes_;
  Monitor *next_;
  BlockPlace place_;
  std::optional<uint64_t> watched_;
  std::optional<Store> lastStore_;
  size_t lastRange_ = 0;
  uint64_t accesses_ = 0;
  bool strayed_ = false;
  std::vector<uint64_t> nowhere_;
};

} // namespace warpwright::vdevice
