#pragma once

#include <cstdint>
#include <utility>

namespace warpwright::vdevice {

/// A run of the host's address space, taken from the operating system page by page. Pages cost memory from
/// the first touch on, and are zero until then.
class Mapping {
public:
  Mapping() = default;
  ~Mapping() { release(); }
  Mapping(Mapping &&other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping &operator=(Mapping &&other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  /// Addresses only: touching them ends the process. Empty if there are not enough.
  static Mapping reserve(uint64_t bytes);
  /// Memory that can be read and written. Empty if the system refuses.
  static Mapping zeroed(uint64_t bytes);
  /// Makes a part of what was reserved readable and writable. Both numbers are multiples of a page.
  bool open(uint64_t offset, uint64_t bytes);

  explicit operator bool() const { return begin_ != nullptr; }
  uint64_t begin() const { return reinterpret_cast<uint64_t>(begin_); }
  uint8_t *data() const { return begin_; }
  uint64_t bytes() const { return bytes_; }

  static uint64_t pageBytes();
  /// Memory that the machine has.
  static uint64_t physicalBytes();

private:
  Mapping(uint8_t *begin, uint64_t bytes) : begin_(begin), bytes_(bytes) {}
  void release();

  uint8_t *begin_ = nullptr;
  uint64_t bytes_ = 0;
};

} // namespace warpwright::vdevice
