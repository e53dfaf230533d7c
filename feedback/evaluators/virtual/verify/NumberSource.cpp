#include "feedback/evaluators/virtual/verify/NumberSource.h"

#include <llvm/ADT/bit.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpwright::vdevice {
namespace {

constexpr unsigned AdversarialPatterns = 5;

} // namespace

NumberSource::NumberSource(const DrawRequest &request, IntegerRange bounds, uint64_t numbers)
    : request_(request), bounds_(bounds), numbers_(numbers),
      stream_(std::string(toString(request.kind)) + " " + request.name, request.seed),
      pattern_((request.seed + RandomStream(request.name, 0).below(0, AdversarialPatterns)) %
               AdversarialPatterns) {}

double NumberSource::floating(ElementKind kind, uint64_t index) const {
  if (request_.kind == InputKind::Special)
    if (std::optional<double> special = specialAt(index))
      return *special;
  NumberRange range = rangeOf(kind);
  switch (request_.kind) {
  case InputKind::Declared:
  case InputKind::Special:
    return declared(index);
  case InputKind::Wide:
    return wide(range, index);
  case InputKind::Adversarial:
    return adversarial(range, index);
  }
  return 0;
}

int64_t NumberSource::integer(const ElementPart &part, uint64_t index) const {
  IntegerRange range = rangeOf(part);
  switch (request_.initialiser.distribution) {
  case Distribution::Zeros:
    return 0;
  case Distribution::Ones:
    return 1;
  default:
    break;
  }
  if (request_.kind == InputKind::Wide)
    return wide(range, index);
  if (request_.kind == InputKind::Adversarial)
    return adversarial(range, index);
  return std::clamp(static_cast<int64_t>(declared(index)), range.low, range.high);
}

std::vector<uint64_t> NumberSource::permutation(uint64_t count) const {
  std::vector<uint64_t> order(count);
  std::iota(order.begin(), order.end(), uint64_t(0));
  if (count == 0)
    return order;
  if (request_.kind == InputKind::Adversarial) { // the identity, its reverse, and turns of both
    if (pattern_ % 2 != 0)
      std::reverse(order.begin(), order.end());
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(pattern_ / 2 % count),
                order.end());
    return order;
  }
  for (uint64_t i = 0; i < count; ++i)
    order[i] = static_cast<uint64_t>(declared(i));
  return order;
}

NumberRange NumberSource::rangeOf(ElementKind kind) const {
  const Initialiser &initialiser = request_.initialiser;
  switch (initialiser.distribution) {
  case Distribution::Uniform:
    // Undeclared numbers may be larger than the default; not so large that a square overflows a half.
    if (request_.kind == InputKind::Wide && !request_.isDeclared)
      return kind == ElementKind::Half || kind == ElementKind::BFloat16 ? NumberRange{-4, 4}
                                                                        : NumberRange{-16, 16};
    return {initialiser.first, initialiser.second};
  case Distribution::Normal:
    return {std::fma(-4, initialiser.second, initialiser.first),
            std::fma(4, initialiser.second, initialiser.first)};
  case Distribution::Zeros:
    return {0, 0};
  case Distribution::Ones:
    return {1, 1};
  case Distribution::Integers:
  case Distribution::Permutation:
    return {static_cast<double>(bounds_.low), static_cast<double>(bounds_.high)};
  }
  return {};
}

IntegerRange NumberSource::rangeOf(const ElementPart &part) const {
  IntegerRange type = {0, 1};
  if (!part.isBool) {
    unsigned bits = part.bytes * 8;
    type.low =
        part.isSigned ? -(bits >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << (bits - 1))) : 0;
    type.high = bits >= 64 ? std::numeric_limits<int64_t>::max()
                           : (int64_t(1) << (part.isSigned ? bits - 1 : bits)) - 1;
  }
  return {std::clamp(bounds_.low, type.low, type.high), std::clamp(bounds_.high, type.low, type.high)};
}

double NumberSource::declared(uint64_t index) const {
  return values::valueAt(initialisation(), values::streamKey(request_.seed, request_.name), index, numbers_);
}

values::Initialisation NumberSource::initialisation() const {
  values::Initialisation result;
  std::string name = toString(request_.initialiser.distribution).str();
  result.distribution = values::parseDistribution(name).value_or(values::Distribution::Zeros);
  result.first = request_.initialiser.first;
  result.second = request_.initialiser.second;
  result.low = bounds_.low;
  result.high = bounds_.high;
  return result;
}

int64_t NumberSource::inRange(IntegerRange range, uint64_t bits) {
  if (range.span() == std::numeric_limits<uint64_t>::max())
    return static_cast<int64_t>(bits);
  auto product = static_cast<unsigned __int128>(bits) * (static_cast<unsigned __int128>(range.span()) + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(range.low) + static_cast<uint64_t>(product >> 64));
}

double NumberSource::wide(NumberRange range, uint64_t index) const {
  if (range.low == range.high)
    return range.low;
  if (index % 4 == 3) {
    double previous = wide(range, index - 1);
    if (range.contains(-previous))
      return -previous;
  }
  constexpr uint64_t Octaves = 16;
  double fraction =
      std::ldexp(stream_.unit(3 * index) + 1, -1 - static_cast<int>(stream_.below(3 * index + 1, Octaves)));
  if (range.low >= 0 || range.high <= 0)
    return std::clamp(std::fma(range.high - range.low, fraction, range.low), range.low, range.high);
  bool isNegative = stream_.bits(3 * index + 2) & 1;
  return isNegative ? range.low * fraction : range.high * fraction;
}

int64_t NumberSource::wide(IntegerRange range, uint64_t index) const {
  uint64_t octaves = 64 - static_cast<uint64_t>(llvm::countl_zero(range.span()));
  uint64_t distance =
      octaves == 0 ? 0 : stream_.bits(2 * index) >> (63 - stream_.below(2 * index + 1, octaves));
  distance = std::min(distance, range.span());
  return static_cast<int64_t>(static_cast<uint64_t>(range.low) + distance);
}

double NumberSource::adversarial(NumberRange range, uint64_t index) const {
  switch (pattern_) {
  case 0:
    return range.low;
  case 1:
    if (range.contains(0))
      return stream_.bits(index) & 1 ? 0.0 : (range.low < 0 ? -0.0 : 0.0);
    return range.high;
  case 2:
    return stream_.bits(index) & 1 ? range.low : range.high;
  case 3:
    return std::fma(range.high - range.low, static_cast<double>(index) / static_cast<double>(numbers_),
                    range.low);
  default: {
    double few[] = {range.low, std::fma(0.5, range.high, 0.5 * range.low), range.high,
                    range.contains(1) ? 1 : range.high};
    return few[stream_.below(index, 4)];
  }
  }
}

int64_t NumberSource::adversarial(IntegerRange range, uint64_t index) const {
  switch (pattern_) {
  case 0:
    return range.low;
  case 1:
    return range.high;
  case 2:
    return stream_.bits(index) & 1 ? range.low : range.high;
  case 3:
    return static_cast<int64_t>(static_cast<uint64_t>(range.low) +
                                (range.span() == UINT64_MAX ? index : index % (range.span() + 1)));
  default:
    return inRange(range, stream_.bits(stream_.below(index, 3)));
  }
}

std::optional<double> NumberSource::specialAt(uint64_t index) const {
  uint64_t chosen = RandomStream(request_.name, request_.seed).below(0, std::max<uint64_t>(numbers_, 1));
  bool isSpecial = index == chosen || stream_.below(4 * numbers_ + index, 64) == 0;
  if (!isSpecial)
    return std::nullopt;
  uint64_t which = index == chosen || !request_.infinities ? 0 : stream_.below(8 * numbers_ + index, 4);
  if (which == 1 || which == 2)
    return which == 1 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

} // namespace warpwright::vdevice
