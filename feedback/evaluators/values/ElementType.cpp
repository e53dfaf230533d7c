#include "feedback/evaluators/values/ElementType.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::values {
namespace {

enum class Kind { Floating, Integer };

struct Row {
  ElementType type;
  std::string_view name;
  size_t bytes;
  Kind kind;
};

constexpr Row rows[] = {
#define WARPWRIGHT_ELEMENT(Enumerator, name, bytes, kind) {ElementType::Enumerator, name, bytes, Kind::kind},
#include "feedback/evaluators/values/ElementTypes.def"
};

const Row &rowOf(ElementType type) {
  return rows[static_cast<size_t>(type)];
}

template <typename T> T loadAs(const void *buffer, uint64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(buffer) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> void storeAs(void *buffer, uint64_t index, T value) {
  std::memcpy(static_cast<char *>(buffer) + index * sizeof(T), &value, sizeof(T));
}

template <typename T> T saturate(double value) {
  if (std::isnan(value))
    return 0;
  double rounded = std::nearbyint(value);
  // The largest 64-bit integers round up to 2^63 and 2^64 as doubles, hence `>=`.
  if (rounded >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

/// A narrow format with `exponentBits` and `mantissaBits`, biased like IEEE's. The one rounding is that of
/// nearbyint on the value scaled to units in the last place.
uint16_t narrow(double value, int exponentBits, int mantissaBits) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  if (std::isnan(value))
    return sign | infinity | static_cast<uint16_t>(1 << (mantissaBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  int bias = (1 << (exponentBits - 1)) - 1;
  int smallest = 1 - bias;
  int exponent = magnitude == 0 ? smallest : std::ilogb(magnitude);
  if (exponent < smallest)
    exponent = smallest;
  if (exponent > bias)
    return sign | infinity;
  // In units of the last place: below 2^(mantissaBits + 1), exact in a double. A carry runs into the
  // exponent, up to infinity, as it should.
  auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent)));
  uint32_t bits = units + (static_cast<uint32_t>(exponent - smallest) << mantissaBits);
  return sign | static_cast<uint16_t>(bits);
}

double widen(uint16_t bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == (1 << exponentBits) - 1)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}

} // namespace

std::string_view toString(ElementType type) {
  return rowOf(type).name;
}
size_t sizeOf(ElementType type) {
  return rowOf(type).bytes;
}
bool isFloating(ElementType type) {
  return rowOf(type).kind == Kind::Floating;
}

std::optional<ElementType> parseElementType(std::string_view name) {
  for (const Row &row : rows)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

uint16_t halfFromDouble(double value) {
  return narrow(value, 5, 10);
}
double doubleFromHalf(uint16_t bits) {
  return widen(bits, 5, 10);
}
uint16_t bfloat16FromDouble(double value) {
  return narrow(value, 8, 7);
}
double doubleFromBFloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

double loadElement(ElementType type, const void *buffer, uint64_t index) {
  switch (type) {
  case ElementType::BFloat16:
    return doubleFromBFloat16(loadAs<uint16_t>(buffer, index));
  case ElementType::Bool:
  case ElementType::UInt8:
    return loadAs<uint8_t>(buffer, index);
  case ElementType::Float16:
    return doubleFromHalf(loadAs<uint16_t>(buffer, index));
  case ElementType::Float32:
    return loadAs<float>(buffer, index);
  case ElementType::Float64:
    return loadAs<double>(buffer, index);
  case ElementType::Int16:
    return loadAs<int16_t>(buffer, index);
  case ElementType::Int32:
    return loadAs<int32_t>(buffer, index);
  case ElementType::Int64:
    return static_cast<double>(loadAs<int64_t>(buffer, index));
  case ElementType::Int8:
    return loadAs<int8_t>(buffer, index);
  case ElementType::UInt16:
    return loadAs<uint16_t>(buffer, index);
  case ElementType::UInt32:
    return loadAs<uint32_t>(buffer, index);
  case ElementType::UInt64:
    return static_cast<double>(loadAs<uint64_t>(buffer, index));
  }
  return 0;
}

void storeElement(ElementType type, void *buffer, uint64_t index, double value) {
  switch (type) {
  case ElementType::BFloat16:
    return storeAs(buffer, index, bfloat16FromDouble(value));
  case ElementType::Bool:
    return storeAs(buffer, index, static_cast<uint8_t>(value != 0));
  case ElementType::Float16:
    return storeAs(buffer, index, halfFromDouble(value));
  case ElementType::Float32:
    return storeAs(buffer, index, static_cast<float>(value));
  case ElementType::Float64:
    return storeAs(buffer, index, value);
  case ElementType::Int16:
    return storeAs(buffer, index, saturate<int16_t>(value));
  case ElementType::Int32:
    return storeAs(buffer, index, saturate<int32_t>(value));
  case ElementType::Int64:
    return storeAs(buffer, index, saturate<int64_t>(value));
  case ElementType::Int8:
    return storeAs(buffer, index, saturate<int8_t>(value));
  case ElementType::UInt16:
    return storeAs(buffer, index, saturate<uint16_t>(value));
  case ElementType::UInt32:
    return storeAs(buffer, index, saturate<uint32_t>(value));
  case ElementType::UInt64:
    return storeAs(buffer, index, saturate<uint64_t>(value));
  case ElementType::UInt8:
    return storeAs(buffer, index, saturate<uint8_t>(value));
  }
}

} // namespace warpwright::values
