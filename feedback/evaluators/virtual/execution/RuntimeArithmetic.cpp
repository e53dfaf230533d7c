#include "feedback/evaluators/virtual/execution/PermuteMode.h"
#include "feedback/evaluators/virtual/execution/Runtime.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace warpwright::vdevice {
namespace {

/// Rounds as `mode` says for as long as it lives. The compiler is kept from moving arithmetic out of there by
/// volatile operands.
class RoundingScope {
public:
  explicit RoundingScope(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(before_); }

private:
  int before_;
};

template <int mode, typename Number> Number add(Number left, Number right) {
  volatile Number a = left, b = right;
  RoundingScope scope(mode);
  volatile Number result = a + b;
  return result;
}

template <int mode, typename Number> Number sub(Number left, Number right) {
  volatile Number a = left, b = right;
  RoundingScope scope(mode);
  volatile Number result = a - b;
  return result;
}

template <int mode, typename Number> Number mul(Number left, Number right) {
  volatile Number a = left, b = right;
  RoundingScope scope(mode);
  volatile Number result = a * b;
  return result;
}

template <int mode, typename Number> Number div(Number left, Number right) {
  volatile Number a = left, b = right;
  RoundingScope scope(mode);
  volatile Number result = a / b;
  return result;
}

template <int mode, typename Number> Number rcp(Number value) {
  return div<mode, Number>(1, value);
}

template <int mode, typename Number> Number squareRoot(Number value) {
  volatile Number a = value;
  RoundingScope scope(mode);
  volatile Number result = std::sqrt(a);
  return result;
}

template <int mode, typename Number> Number multiplyAdd(Number left, Number right, Number addend) {
  volatile Number a = left, b = right, c = addend;
  RoundingScope scope(mode);
  volatile Number result = std::fma(a, b, c);
  return result;
}

template <int mode, typename To, typename From> To convert(From value) {
  volatile From a = value;
  RoundingScope scope(mode);
  volatile To result = static_cast<To>(a);
  return result;
}

/// A byte of eight, by the low three bits of each selector; its fourth bit copies the byte's sign instead.
uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
  uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned select = selector >> 4 * i & 15;
    uint32_t byte = static_cast<uint32_t>(bytes >> 8 * (select & 7)) & 0xff;
    if (select & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

/// `prmt` with a mode: which bytes it takes, by the low two bits of the selector.
uint32_t permuteByMode(uint32_t low, uint32_t high, uint32_t selector, uint32_t mode) {
  uint32_t n = selector & 3, nibbles = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t byte = 0;
    switch (static_cast<PermuteMode>(mode)) {
    case PermuteMode::Forward:
      byte = n + i;
      break;
    case PermuteMode::Backward:
      byte = n - i & 7;
      break;
    case PermuteMode::Replicate8:
      byte = n;
      break;
    case PermuteMode::ClampLeft:
      byte = std::max(i, n);
      break;
    case PermuteMode::ClampRight:
      byte = std::min(i, n);
      break;
    case PermuteMode::Replicate16:
      byte = 2 * (n & 1) + (i & 1);
      break;
    }
    nibbles |= byte << 4 * i;
  }
  return permute(low, high, nibbles);
}

/// `bfe`: the field's bits that lie beyond the word are its sign's, or zero.
template <typename Number> Number extractField(Number value, uint32_t position, uint32_t length) {
  constexpr uint32_t most = 8 * sizeof(Number) - 1;
  position &= 0xff;
  length &= 0xff;
  using Bits = std::make_unsigned_t<Number>;
  auto bits = static_cast<Bits>(value);
  bool isSigned = std::is_signed_v<Number> && length != 0;
  bool sign = isSigned && (bits >> std::min(position + length - 1, most) & 1);
  Bits result = sign ? ~Bits(0) : 0;
  for (uint32_t i = 0; i < length && i <= most && position + i <= most; ++i) {
    Bits bit = Bits(1) << i;
    result = bits >> (position + i) & 1 ? result | bit : result & ~bit;
  }
  return static_cast<Number>(result);
}

/// `bfi`
template <typename Bits> Bits insertField(Bits field, Bits into, uint32_t position, uint32_t length) {
  constexpr uint32_t most = 8 * sizeof(Bits) - 1;
  position &= 0xff;
  length &= 0xff;
  for (uint32_t i = 0; i < length && position + i <= most; ++i) {
    Bits bit = Bits(1) << (position + i);
    into = field >> i & 1 ? into | bit : into & ~bit;
  }
  return into;
}

/// PTX's `fns`: the position of the offset-th set bit from the base on, downwards where it is negative.
uint32_t findSetBit(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0)
    return base < 32 && (mask >> base & 1) ? base : ~uint32_t(0);
  int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? int64_t(offset) - 1 : -int64_t(offset) - 1;
  for (int64_t position = base; position >= 0 && position < 32; position += step)
    if ((mask >> position & 1) && left-- == 0)
      return static_cast<uint32_t>(position);
  return ~uint32_t(0);
}

/// Denormal numbers become zeros of their sign.
float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

} // namespace

void addRuntimeArithmetic(std::vector<RuntimeFunction> &functions) {
#define WARPWRIGHT_ROUNDED(operation, function, suffix, mode)                                                \
  functions.push_back({"warpwright." operation "." suffix ".f32", addressOf(function<mode, float>)});        \
  functions.push_back({"warpwright." operation "." suffix ".f64", addressOf(function<mode, double>)});
#define WARPWRIGHT_CONVERSION(to, To, from, From, suffix, mode)                                              \
  functions.push_back({"warpwright.cvt." suffix "." to "." from, addressOf(convert<mode, To, From>)});
#define WARPWRIGHT_MODE(suffix, mode)                                                                        \
  WARPWRIGHT_ROUNDED("add", add, suffix, mode)                                                               \
  WARPWRIGHT_ROUNDED("sub", sub, suffix, mode)                                                               \
  WARPWRIGHT_ROUNDED("mul", mul, suffix, mode)                                                               \
  WARPWRIGHT_ROUNDED("div", div, suffix, mode)                                                               \
  WARPWRIGHT_ROUNDED("rcp", rcp, suffix, mode)                                                               \
  WARPWRIGHT_ROUNDED("sqrt", squareRoot, suffix, mode)                                                       \
  WARPWRIGHT_ROUNDED("fma", multiplyAdd, suffix, mode)                                                       \
  WARPWRIGHT_CONVERSION("f32", float, "f64", double, suffix, mode)                                           \
  WARPWRIGHT_CONVERSION("f32", float, "s32", int32_t, suffix, mode)                                          \
  WARPWRIGHT_CONVERSION("f32", float, "u32", uint32_t, suffix, mode)                                         \
  WARPWRIGHT_CONVERSION("f32", float, "s64", int64_t, suffix, mode)                                          \
  WARPWRIGHT_CONVERSION("f32", float, "u64", uint64_t, suffix, mode)                                         \
  WARPWRIGHT_CONVERSION("f64", double, "s64", int64_t, suffix, mode)                                         \
  WARPWRIGHT_CONVERSION("f64", double, "u64", uint64_t, suffix, mode)                                        \
  WARPWRIGHT_CONVERSION("f64", double, "s32", int32_t, suffix, mode)                                         \
  WARPWRIGHT_CONVERSION("f64", double, "u32", uint32_t, suffix, mode)
  WARPWRIGHT_MODE("rz", FE_TOWARDZERO)
  WARPWRIGHT_MODE("rm", FE_DOWNWARD)
  WARPWRIGHT_MODE("rp", FE_UPWARD)
#undef WARPWRIGHT_MODE
#undef WARPWRIGHT_CONVERSION
#undef WARPWRIGHT_ROUNDED
  using Unary = float (*)(float);
  functions.push_back({"warpwright.ex2.f32", addressOf<float, float>(static_cast<Unary>(std::exp2))});
  functions.push_back({"warpwright.lg2.f32", addressOf<float, float>(static_cast<Unary>(std::log2))});
  functions.push_back({"warpwright.sin.f32", addressOf<float, float>(static_cast<Unary>(std::sin))});
  functions.push_back({"warpwright.cos.f32", addressOf<float, float>(static_cast<Unary>(std::cos))});
  functions.push_back({"warpwright.tanh.f32", addressOf<float, float>(static_cast<Unary>(std::tanh))});
  functions.push_back({"warpwright.flush.f32", addressOf(flush)});
  functions.push_back({"warpwright.fns", addressOf(findSetBit)});
  functions.push_back({"warpwright.prmt", addressOf(permute)});
  functions.push_back({"warpwright.prmt_mode", addressOf(permuteByMode)});
  functions.push_back({"warpwright.bfe.s32", addressOf(extractField<int32_t>)});
  functions.push_back({"warpwright.bfe.s64", addressOf(extractField<int64_t>)});
  functions.push_back({"warpwright.bfe.u32", addressOf(extractField<uint32_t>)});
  functions.push_back({"warpwright.bfe.u64", addressOf(extractField<uint64_t>)});
  functions.push_back({"warpwright.bfi.b32", addressOf(insertField<uint32_t>)});
  functions.push_back({"warpwright.bfi.b64", addressOf(insertField<uint64_t>)});
}

} // namespace warpwright::vdevice
