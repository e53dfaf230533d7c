#pragma once

#include <llvm/Support/Error.h>

#include <cstddef>
#include <cstdint>

namespace warpwright::vdevice {

/// Zeroed pages of the host; those that nobody touches cost nothing.
class Arena {
public:
  Arena() = default;
  static llvm::Expected<Arena> create(size_t bytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  uint8_t *data() const { return data_; }
  size_t size() const { return bytes_; }
  bool holds(const uint8_t *address) const { return address >= data_ && address < data_ + bytes_; }

  /// Whoever touches these bytes, whole pages, ends the process.
  void protect(size_t offset, size_t bytes);

  static size_t pageBytes();

private:
  uint8_t *data_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace warpwright::vdevice
