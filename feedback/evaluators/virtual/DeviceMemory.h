#pragma once

#include "analysis/Place.h"
#include "analysis/simt/Counters.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpwright::vdevice {

struct DeviceVariable;

/// A run of bytes that is one object of the program.
struct MemoryRange {
  std::string name; ///< as the source spells it
  Place place;      ///< of its declaration, where it is known
  simt::AccessSpace space = simt::AccessSpace::Global;
  uint64_t begin = 0; ///< address of the host
  uint64_t bytes = 0;
  unsigned elementBytes = 0; ///< 0: not known
  /// One byte for each byte of the object, not zero where something was written; null: all of it is
  /// initialised. Only buffers and variables have it, and it lives as long as the memory.
  uint8_t *written = nullptr;

  bool holds(uint64_t address) const { return address - begin < bytes; }
  bool holds(uint64_t address, uint64_t count) const {
    return holds(address) && count <= bytes - (address - begin);
  }
};

struct BufferRequest {
  std::string name;
  uint64_t bytes = 0; ///< none is fine: every access is then out of bounds
  /// Copied to the front, the rest is zero.
  llvm::ArrayRef<uint8_t> contents = {};
  /// The address is a multiple of 256 plus this, so that code which relies on more alignment than it may is
  /// seen. Less than 256.
  unsigned misalignment = 0;
  bool initialised = true; ///< false: what is read before it was written is a fault
  unsigned elementBytes = 0;
};

/// The memory of a device that all blocks see. Buffers and variables live as long as it does, through all
/// launches; what belongs to a block or a thread is execution's (BlockPlace). Pages that nobody touches cost
/// nothing. Around every buffer lie addresses that belong to nothing, as many as it has bytes (at least 64
/// KiB, at most 4 GiB), so that an index gone astray is attributed to the right one; touching them ends the
/// process, unless a monitor sends the access elsewhere. Not to be changed while a launch runs.
class DeviceMemory {
public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&) noexcept;
  DeviceMemory &operator=(DeviceMemory &&) noexcept;

  /// Returns the buffer's address. An error names an extent that is too large for memory.
  llvm::Expected<uint64_t> addBuffer(const BufferRequest &request);

  /// An object whose bytes are somebody else's and outlive this, with nothing around it. It must not overlap
  /// what is there.
  void addForeign(MemoryRange range);

  /// Places a program's variables with their initial values, references between them resolved. Once.
  llvm::Error addVariables(llvm::ArrayRef<DeviceVariable> variables);
  /// By index into what was added with them.
  uint64_t variableAddress(size_t index) const;

  /// The buffer or variable that holds the address, or null. Shared memory and locals are not found here.
  const MemoryRange *find(uint64_t address) const;
  /// The one in whose surroundings the address lies, or null.
  const MemoryRange *findNear(uint64_t address) const;
  /// Buffers and variables, by address.
  llvm::ArrayRef<MemoryRange> ranges() const;

  /// The bytes of the object that begins at `address`.
  llvm::MutableArrayRef<uint8_t> contents(uint64_t address);

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace warpwright::vdevice
