#pragma once

#include "feedback/evaluators/virtual/Monitor.h"
#include "feedback/evaluators/virtual/WatchedLaunch.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpwright::vdevice {

/// Something that an access may be in, at the addresses of one worker's present block.
struct Object {
  enum class Kind : uint8_t { Global, Shared, Local };
  Kind kind = Kind::Global;
  uint64_t begin = 0;
  uint64_t bytes = 0;
  size_t index = 0; ///< of the range of memory, or of the variable in its layout

  bool holds(uint64_t address, uint64_t count) const {
    uint64_t offset = address - begin;
    return offset < bytes && count <= bytes - offset;
  }
};

/// Says what lies at an address: buffers and variables, the arrays of the block's shared memory, the locals
/// of a thread.
class ObjectMap {
public:
  explicit ObjectMap(const WatchedLaunch &launch) : launch_(launch), ranges_(launch.memory->ranges()) {}
  void beginBlock(const BlockPlace &place) { place_ = place; }
  const BlockPlace &place() const { return place_; }

  bool isShared(uint64_t address) const { return address - place_.shared < launch_.sharedBytes(); }
  bool isLocal(uint64_t address) const { return address - place_.local < place_.localBytes * place_.threads; }
  /// The object that holds all bytes of the access.
  std::optional<Object> find(uint64_t address, uint64_t bytes, uint32_t thread) const;
  /// The object that an access which is in none was probably meant for, or none.
  std::optional<Object> findNear(uint64_t address, uint32_t thread) const;

  const MemoryRange &rangeOf(const Object &object) const { return ranges_[object.index]; }
  const StorageVariable &variableOf(const Object &object) const {
    const DeviceKernel &kernel = *launch_.kernel;
    return (object.kind == Object::Kind::Shared ? kernel.shared : kernel.local).variables[object.index];
  }
  simt::AccessSpace spaceOf(const Object &object) const;

private:
  std::optional<Object> inLayout(const StorageLayout &layout, Object::Kind kind, uint64_t base,
                                 uint64_t address) const;
  Object makeObject(const StorageLayout &layout, Object::Kind kind, uint64_t base, size_t index) const;

  WatchedLaunch launch_;
  llvm::ArrayRef<MemoryRange> ranges_; ///< none is added while a launch runs
  BlockPlace place_;
};

} // namespace warpwright::vdevice
