// Rounding to the formats of 16 bits: half (5 bits of exponent, 10 of fraction) and bfloat16 (8 and 7).

#include "feedback/evaluators/virtual/execution/ShortFloats.h"

#include "feedback/evaluators/virtual/execution/Runtime.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

namespace warpwright::vdevice {
namespace {

enum class Mode { Nearest, Zero, Down, Up };

struct Format {
  int exponentBits;
  int fractionBits;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int leastExponent() const { return 1 - bias(); }
  uint16_t infinity() const { return static_cast<uint16_t>(((1 << exponentBits) - 1) << fractionBits); }
  uint16_t largest() const { return static_cast<uint16_t>(infinity() - 1); }
};

constexpr Format half{5, 10};
constexpr Format bfloat{8, 7};
constexpr uint16_t canonicalNaN = 0x7fff; ///< what the device makes in both formats

double toDouble(uint16_t bits, const Format &format) {
  int exponent = bits >> format.fractionBits & ((1 << format.exponentBits) - 1);
  int fraction = bits & ((1 << format.fractionBits) - 1);
  double value;
  if (exponent == (1 << format.exponentBits) - 1)
    value = fraction ? std::nan("") : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(fraction, format.leastExponent() - format.fractionBits);
  else
    value = std::ldexp(fraction + (1 << format.fractionBits), exponent - format.bias() - format.fractionBits);
  return bits & 0x8000 ? -value : value;
}

/// The last place of the result decides: the value is scaled so that it is the unit.
uint16_t round(double value, const Format &format, Mode mode) {
  if (std::isnan(value))
    return canonicalNaN;
  bool negative = std::signbit(value);
  uint16_t sign = negative ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | format.infinity();
  bool awayFromZero = (mode == Mode::Up && !negative) || (mode == Mode::Down && negative);
  int exponent =
      magnitude == 0 ? format.leastExponent() : std::max(std::ilogb(magnitude), format.leastExponent());
  double scaled = std::ldexp(magnitude, format.fractionBits - exponent);
  double whole = mode == Mode::Nearest ? std::nearbyint(scaled)
                 : awayFromZero        ? std::ceil(scaled)
                                       : std::floor(scaled);
  // A carry out of the fraction makes the next exponent by itself.
  uint64_t fraction = static_cast<uint64_t>(whole);
  uint64_t unit = uint64_t(1) << format.fractionBits;
  uint64_t bits =
      fraction < unit
          ? fraction
          : (static_cast<uint64_t>(exponent + format.bias() - 1) << format.fractionBits) + fraction;
  if (bits >= format.infinity())
    return sign | (mode == Mode::Nearest || awayFromZero ? format.infinity() : format.largest());
  return sign | static_cast<uint16_t>(bits);
}

/// a * b + c rounded once. The product of two short numbers is exact in double; where the sum is not, its
/// last bit is made odd, which keeps the second rounding from seeing a tie that is none.
uint16_t multiplyAdd(uint16_t left, uint16_t right, uint16_t addend, const Format &format) {
  double product = toDouble(left, format) * toDouble(right, format);
  double c = toDouble(addend, format);
  double sum = product + c;
  if (std::isfinite(sum)) {
    double part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    auto bits = std::bit_cast<uint64_t>(sum);
    if (error != 0 && !(bits & 1))
      bits += (error > 0) == (sum > 0) ? 1 : -1;
    sum = std::bit_cast<double>(bits);
  }
  return round(sum, format, Mode::Nearest);
}

uint16_t fmaHalf(uint16_t left, uint16_t right, uint16_t addend) {
  return multiplyAdd(left, right, addend, half);
}
uint16_t fmaBFloat(uint16_t left, uint16_t right, uint16_t addend) {
  return multiplyAdd(left, right, addend, bfloat);
}

template <Mode mode, typename From> uint16_t toHalf(From value) {
  return round(value, half, mode);
}
template <Mode mode, typename From> uint16_t toBFloat(From value) {
  return round(value, bfloat, mode);
}

uint32_t addBFloats(uint32_t left, uint32_t right, bool packed) {
  auto sum = [](uint16_t a, uint16_t b) {
    return round(toDouble(a, bfloat) + toDouble(b, bfloat), bfloat, Mode::Nearest);
  };
  auto low = [](uint32_t bits) { return static_cast<uint16_t>(bits); };
  auto high = [](uint32_t bits) { return static_cast<uint16_t>(bits >> 16); };
  uint32_t upper = packed ? sum(high(left), high(right)) : high(left);
  return upper << 16 | sum(low(left), low(right));
}

} // namespace

double halfToDouble(uint16_t bits) {
  return toDouble(bits, half);
}
double bfloatToDouble(uint16_t bits) {
  return toDouble(bits, bfloat);
}
uint16_t doubleToHalf(double number) {
  return round(number, half, Mode::Nearest);
}
uint16_t doubleToBFloat(double number) {
  return round(number, bfloat, Mode::Nearest);
}

uint32_t atomicAddBFloat(void *address, uint32_t bits, bool packed) {
  auto add = [&](auto word) {
    auto old = word.load();
    while (!word.compare_exchange_weak(old, static_cast<decltype(old)>(addBFloats(old, bits, packed)))) {
    }
    return static_cast<uint32_t>(old);
  };
  return packed ? add(std::atomic_ref(*static_cast<uint32_t *>(address)))
                : add(std::atomic_ref(*static_cast<uint16_t *>(address)));
}

void addShortFloats(std::vector<RuntimeFunction> &functions) {
  functions.insert(functions.end(),
                   {{"warpwright.cvt.rm.bf16.f32", addressOf(toBFloat<Mode::Down, float>)},
                    {"warpwright.cvt.rm.bf16.f64", addressOf(toBFloat<Mode::Down, double>)},
                    {"warpwright.cvt.rm.f16.f32", addressOf(toHalf<Mode::Down, float>)},
                    {"warpwright.cvt.rm.f16.f64", addressOf(toHalf<Mode::Down, double>)},
                    {"warpwright.cvt.rn.bf16.f32", addressOf(toBFloat<Mode::Nearest, float>)},
                    {"warpwright.cvt.rn.bf16.f64", addressOf(toBFloat<Mode::Nearest, double>)},
                    {"warpwright.cvt.rn.f16.f64", addressOf(toHalf<Mode::Nearest, double>)},
                    {"warpwright.cvt.rp.bf16.f32", addressOf(toBFloat<Mode::Up, float>)},
                    {"warpwright.cvt.rp.bf16.f64", addressOf(toBFloat<Mode::Up, double>)},
                    {"warpwright.cvt.rp.f16.f32", addressOf(toHalf<Mode::Up, float>)},
                    {"warpwright.cvt.rp.f16.f64", addressOf(toHalf<Mode::Up, double>)},
                    {"warpwright.cvt.rz.bf16.f32", addressOf(toBFloat<Mode::Zero, float>)},
                    {"warpwright.cvt.rz.bf16.f64", addressOf(toBFloat<Mode::Zero, double>)},
                    {"warpwright.cvt.rz.f16.f32", addressOf(toHalf<Mode::Zero, float>)},
                    {"warpwright.cvt.rz.f16.f64", addressOf(toHalf<Mode::Zero, double>)},
                    {"warpwright.fma.rn.bf16", addressOf(fmaBFloat)},
                    {"warpwright.fma.rn.f16", addressOf(fmaHalf)}});
}

} // namespace warpwright::vdevice
