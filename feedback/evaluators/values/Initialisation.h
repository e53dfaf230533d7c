#pragma once

#include "feedback/evaluators/values/ElementType.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwright::values {

/// The distributions of the annotation's init().
enum class Distribution { Integers, Normal, Ones, Permutation, Uniform, Zeros };

std::string_view toString(Distribution distribution);
std::optional<Distribution> parseDistribution(std::string_view name);

/// How a buffer is filled. `first` and `second` are the bounds of Uniform, [first, second), or mean and
/// standard deviation of Normal; `low` and `high` the bounds of Integers, both included. Permutation draws
/// one of 0 .. count - 1.
struct Initialisation {
  Distribution distribution = Distribution::Uniform;
  double first = -1;
  double second = 1;
  int64_t low = 0;
  int64_t high = 255;
};

/// Values are a pure function of (seed, buffer's name, index), so that any part of a buffer can be drawn
/// alone, by any thread and on any machine, with the same bits: only exact integer and correctly rounded
/// operations are used. The 64 random bits of an index are the index-th output of SplitMix64 (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014) started at the stream's key:
///
///     key  = mix(seed + golden * (1 + fnv1a(name)))      golden = 0x9e3779b97f4a7c15
///     bits = mix(key + golden * (index + 1))
///
/// Uniform takes the upper 53 bits as a fraction. Normal adds twelve fractions of 21 bits (four outputs, at
/// 4 * index + 0 .. 3) and subtracts six: mean 0, deviation 1, nothing beyond six deviations. Integers takes
/// the upper half of bits * (high - low + 1). Permutation is a four-round Feistel network, walked until it
/// lands within the buffer.
uint64_t streamKey(uint64_t seed, std::string_view buffer);
uint64_t bitsAt(uint64_t key, uint64_t index);

/// Element `index` of `count`, before it is rounded to the element's type.
double valueAt(const Initialisation &initialisation, uint64_t key, uint64_t index, uint64_t count);

/// Writes elements [begin, end) of a buffer that has `count`. Disjoint ranges may be filled at the same time.
void fillElements(const Initialisation &initialisation, ElementType type, uint64_t key, uint64_t begin,
                  uint64_t end, uint64_t count, void *buffer);

} // namespace warpwright::values
