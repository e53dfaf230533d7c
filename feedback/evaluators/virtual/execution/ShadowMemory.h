#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace warpwright::vdevice {

/// What numbers in memory would be in double precision, by address. Every entry holds the bits that the
/// kernel itself has there: where memory holds others by now (somebody wrote through another type, or it was
/// filled), the entry is no longer of it, and the number is what its bits say. So inputs need no entries, and
/// a write that nobody reports can make a reference coarser, but not wrong. For one worker at a time.
class ShadowMemory {
public:
  /// Stands for "nothing is known", as a double; a NaN that no operation makes.
  static constexpr uint64_t unknownBits = 0x7ff8'dead'beef'0001;
  static bool isUnknown(double value);

  /// Of the number of `bytes` (2, 4, 8) with these bits; `fallback` where none is kept.
  double load(uint64_t address, uint32_t bytes, uint64_t bits, double fallback);
  /// An unknown value leaves what is there alone.
  void store(uint64_t address, uint32_t bytes, uint64_t bits, double value);
  void forget(uint64_t address, uint64_t bytes);
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  /// Whether a number that the kernel computed lies, whole or in part, in these bytes, which must be
  /// readable.
  bool holds(uint64_t address, uint64_t bytes);

  /// Notes why the numbers are no reference; the first reason stays.
  void lose(std::string reason) {
    if (lost_.empty())
      lost_ = std::move(reason);
  }
  const std::string &lost() const { return lost_; }

private:
  static constexpr uint64_t granule = 2; ///< bytes: of the shortest number, and what all are aligned to
  static constexpr uint64_t pageBytes = 4096;

  struct Entry {
    double value = 0;
    uint64_t bits = 0;
    uint32_t bytes = 0; ///< 0: there is none
  };
  struct Page {
    Entry entries[pageBytes / granule];
  };

  /// Null where the page does not exist, and is not to be made.
  Entry *find(uint64_t address, bool make);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t lastNumber_ = ~uint64_t(0);
  Page *lastPage_ = nullptr;
  std::string lost_;
};

} // namespace warpwright::vdevice
