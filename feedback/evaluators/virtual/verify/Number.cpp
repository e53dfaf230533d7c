// Numbers in buffers: what an element consists of, and its conversion from and to double.

#include "feedback/evaluators/values/ElementType.h"
#include "feedback/evaluators/virtual/verify/Draw.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::vdevice {
namespace {

uint64_t loadBits(const uint8_t *bytes, unsigned count) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < count; ++i)
    bits |= uint64_t(bytes[i]) << (8 * i);
  return bits;
}

} // namespace

double decodeNumber(const ElementPart &part, const uint8_t *bytes) {
  switch (part.kind) {
  case ElementKind::Float: {
    float value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  case ElementKind::Double: {
    double value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  case ElementKind::Half:
    return values::doubleFromHalf(static_cast<uint16_t>(loadBits(bytes, 2)));
  case ElementKind::BFloat16:
    return values::doubleFromBFloat16(static_cast<uint16_t>(loadBits(bytes, 2)));
  case ElementKind::Integer:
  case ElementKind::Other:
    break;
  }
  uint64_t bits = loadBits(bytes, part.bytes);
  unsigned unused = 64 - 8 * part.bytes;
  if (part.isSigned)
    return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
  return static_cast<double>(bits);
}

void encodeNumber(const ElementPart &part, double value, uint8_t *bytes) {
  switch (part.kind) {
  case ElementKind::Float: {
    auto narrow = static_cast<float>(value);
    std::memcpy(bytes, &narrow, sizeof(narrow));
    return;
  }
  case ElementKind::Double:
    std::memcpy(bytes, &value, sizeof(value));
    return;
  case ElementKind::Half:
  case ElementKind::BFloat16: {
    uint16_t bits =
        part.kind == ElementKind::Half ? values::halfFromDouble(value) : values::bfloat16FromDouble(value);
    bytes[0] = static_cast<uint8_t>(bits);
    bytes[1] = static_cast<uint8_t>(bits >> 8);
    return;
  }
  case ElementKind::Integer:
  case ElementKind::Other:
    break;
  }
  unsigned bits = 8 * part.bytes;
  double high = std::ldexp(1, static_cast<int>(part.isSigned ? bits - 1 : bits));
  double low = part.isSigned ? -high : 0;
  uint64_t number = 0;
  if (value >= high)
    number = part.isSigned ? (uint64_t(1) << (bits - 1)) - 1 : ~uint64_t(0);
  else if (value >= low)
    number = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
  else if (value < low)
    number = part.isSigned ? uint64_t(1) << (bits - 1) : 0;
  for (unsigned i = 0; i < part.bytes; ++i)
    bytes[i] = static_cast<uint8_t>(number >> (8 * i));
}

} // namespace warpwright::vdevice
