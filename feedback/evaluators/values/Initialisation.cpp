#include "feedback/evaluators/values/Initialisation.h"

#include <bit>
#include <cassert>

namespace warpwright::values {
namespace {

constexpr uint64_t golden = 0x9e3779b97f4a7c15;

struct DistributionRow {
  Distribution distribution;
  std::string_view name;
};

constexpr DistributionRow distributions[] = {
    {Distribution::Integers, "integers"}, {Distribution::Normal, "normal"},
    {Distribution::Ones, "ones"},         {Distribution::Permutation, "permutation"},
    {Distribution::Uniform, "uniform"},   {Distribution::Zeros, "zeros"}};

/// SplitMix64's output function.
uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

double fractionOf(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

double standardNormal(uint64_t key, uint64_t index) {
  constexpr uint64_t mask = (1u << 21) - 1;
  uint64_t sum = 0;
  for (uint64_t part = 0; part < 4; ++part) {
    uint64_t bits = bitsAt(key, 4 * index + part);
    sum += (bits & mask) + ((bits >> 21) & mask) + ((bits >> 42) & mask);
  }
  // Each part is (2^21 - 1) / 2 on average.
  return (static_cast<double>(sum) - 6.0 * static_cast<double>(mask)) * 0x1p-21;
}

int64_t integerBetween(int64_t low, int64_t high, uint64_t bits) {
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  if (span == 0) // all 2^64
    return static_cast<int64_t>(bits);
  auto scaled = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * span) >> 64);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + scaled);
}

uint64_t permuted(uint64_t key, uint64_t index, uint64_t count) {
  if (count < 2)
    return 0;
  unsigned half = (std::bit_width(count - 1) + 1) / 2;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t mixed = left ^ (bitsAt(key + round, right) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= count); // at most four times as many values as elements: four steps on average
  return index;
}

} // namespace

std::string_view toString(Distribution distribution) {
  return distributions[static_cast<size_t>(distribution)].name;
}

std::optional<Distribution> parseDistribution(std::string_view name) {
  for (const DistributionRow &row : distributions)
    if (row.name == name)
      return row.distribution;
  return std::nullopt;
}

uint64_t streamKey(uint64_t seed, std::string_view buffer) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (unsigned char byte : buffer)
    hash = (hash ^ byte) * 0x100000001b3;
  return mix(seed + golden * (1 + hash));
}

uint64_t bitsAt(uint64_t key, uint64_t index) {
  return mix(key + golden * (index + 1));
}

double valueAt(const Initialisation &initialisation, uint64_t key, uint64_t index, uint64_t count) {
  assert(index < count && "no such element");
  switch (initialisation.distribution) {
  case Distribution::Integers:
    return static_cast<double>(integerBetween(initialisation.low, initialisation.high, bitsAt(key, index)));
  case Distribution::Normal:
    return initialisation.first + initialisation.second * standardNormal(key, index);
  case Distribution::Ones:
    return 1;
  case Distribution::Permutation:
    return static_cast<double>(permuted(key, index, count));
  case Distribution::Uniform:
    return initialisation.first +
           (initialisation.second - initialisation.first) * fractionOf(bitsAt(key, index));
  case Distribution::Zeros:
    return 0;
  }
  return 0;
}

void fillElements(const Initialisation &initialisation, ElementType type, uint64_t key, uint64_t begin,
                  uint64_t end, uint64_t count, void *buffer) {
  assert(end <= count && "the range leaves the buffer");
  // The common case by itself: a factor of four over asking for type and distribution at every element.
  if (type == ElementType::Float32 && initialisation.distribution == Distribution::Uniform) {
    auto *floats = static_cast<float *>(buffer);
    double width = initialisation.second - initialisation.first;
    for (uint64_t index = begin; index < end; ++index)
      floats[index] = static_cast<float>(initialisation.first + width * fractionOf(bitsAt(key, index)));
    return;
  }
  for (uint64_t index = begin; index < end; ++index)
    storeElement(type, buffer, index, valueAt(initialisation, key, index, count));
}

} // namespace warpwright::values
