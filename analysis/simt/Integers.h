#pragma once

#include <algorithm>
#include <cstdint>

namespace warpwright::simt {

/// The bits of an integer of `bits` bits within a word; of wider ones, those of their lowest word.
constexpr uint64_t maskOf(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// The lowest `bits` bits as a signed integer.
constexpr int64_t asSigned(uint64_t value, unsigned bits) {
  const unsigned unused = 64 - std::min(bits, 64u);
  return static_cast<int64_t>(value << unused) >> unused;
}

} // namespace warpwright::simt
