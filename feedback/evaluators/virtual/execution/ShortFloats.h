#pragma once

#include <cstdint>

namespace warpwright::vdevice {

/// Half (5 bits of exponent, 10 of fraction) and bfloat16 (8 and 7) as the host's numbers and back, rounded
/// to the nearest.
double halfToDouble(uint16_t bits);
double bfloatToDouble(uint16_t bits);
uint16_t doubleToHalf(double number);
uint16_t doubleToBFloat(double number);

/// Adds one bfloat16 or, packed, two to memory at once; returns what was there.
uint32_t atomicAddBFloat(void *address, uint32_t bits, bool packed);

} // namespace warpwright::vdevice
