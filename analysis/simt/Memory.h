#pragma once

#include "analysis/simt/Code.h"

#include <llvm/ADT/DenseMap.h>

#include <memory>
#include <vector>

namespace warpwright::simt {

/// Bytes with a mark on those whose value is known: written with an untainted value, or constant.
class ByteStore {
public:
  /// Beyond its size reads give zero, unknown; writes are dropped.
  void resize(uint64_t bytes);
  void forget(); ///< all bytes become zero, unknown
  uint64_t size() const { return data_.size(); }

  /// Little-endian value of `bytes` (1 to 8). False if any byte is unknown.
  bool read(uint64_t offset, unsigned bytes, uint64_t &value) const;
  void write(uint64_t offset, unsigned bytes, uint64_t value, bool known);

private:
  std::vector<uint8_t> data_;
  std::vector<uint8_t> known_;
};

/// Local memory of one warp: each lane its own, at the same addresses.
class LocalMemory {
public:
  uint64_t allocate(uint64_t bytes, uint64_t alignment); ///< offset in the local window
  uint64_t top() const { return top_; }
  void release(uint64_t top) { top_ = top; }
  bool read(unsigned lane, uint64_t offset, unsigned bytes, uint64_t &value) const;
  void write(unsigned lane, uint64_t offset, unsigned bytes, uint64_t value, bool known);

private:
  std::vector<ByteStore> lanes_;
  uint64_t top_ = MemoryMap::localStart;
};

/// All memory but local. Addresses are generic ones.
class DeviceMemory {
public:
  DeviceMemory(const Program &program, uint64_t dynamicSharedBytes);

  static AccessSpace spaceOf(uint64_t address);
  /// The space of the first lane's address, and which lanes of `mask`, not empty, are in it.
  static std::pair<AccessSpace, LaneMask> lanesInOneSpace(const std::array<uint64_t, warpSize> &addresses,
                                                          LaneMask mask);

  /// The value at an address; false where it is not known: memory that nobody wrote reads as zero.
  bool read(uint64_t address, unsigned bytes, uint64_t &value) const;
  void write(uint64_t address, unsigned bytes, uint64_t value, bool known);

  /// A new block sees no shared contents.
  void startBlock() { shared_.forget(); }
  ByteStore &parameters() { return parameters_; }

private:
  static constexpr uint64_t pageBytes = 4096;
  /// Pages that are kept. Stores that lie far apart would fill the host's memory; what they write beyond
  /// these reads as unknown, so that what depends on it is marked.
  static constexpr size_t mostPages = 8192;

  void initialiseVariables(const Program &program);

  ByteStore shared_;
  ByteStore parameters_;
  ByteStore variables_;
  ByteStore constants_;
  llvm::DenseMap<uint64_t, std::unique_ptr<ByteStore>> pages_;
};

} // namespace warpwright::simt
