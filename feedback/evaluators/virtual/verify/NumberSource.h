#pragma once

#include "feedback/evaluators/values/Initialisation.h"
#include "feedback/evaluators/virtual/verify/Draw.h"

#include <optional>
#include <vector>

namespace warpwright::vdevice {

/// What numbers of a buffer may be.
struct NumberRange {
  double low = 0;
  double high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};
struct IntegerRange {
  int64_t low = 0;
  int64_t high = 0;
  /// One less than the count.
  uint64_t span() const { return static_cast<uint64_t>(high) - static_cast<uint64_t>(low); }
};

/// Draws the numbers of one buffer, one after the other or in any order.
class NumberSource {
public:
  NumberSource(const DrawRequest &request, IntegerRange bounds, uint64_t numbers);

  double floating(ElementKind kind, uint64_t index) const;
  int64_t integer(const ElementPart &part, uint64_t index) const;
  /// The whole of a permutation; adversarial ones are the identity, its reverse, and turns.
  std::vector<uint64_t> permutation(uint64_t count) const;

private:
  /// The range of what init() says; a normal distribution is cut at four deviations, and what is not declared
  /// is in [-1, 1].
  NumberRange rangeOf(ElementKind kind) const;
  IntegerRange rangeOf(const ElementPart &part) const;
  /// The very numbers that a device is given for this seed.
  double declared(uint64_t index) const;
  values::Initialisation initialisation() const;
  static int64_t inRange(IntegerRange range, uint64_t bits);
  /// A power of two below the largest magnitude with a random mantissa; every fourth number is its
  /// predecessor negated.
  double wide(NumberRange range, uint64_t index) const;
  int64_t wide(IntegerRange range, uint64_t index) const;
  double adversarial(NumberRange range, uint64_t index) const;
  int64_t adversarial(IntegerRange range, uint64_t index) const;
  /// NaN, and then infinity of either sign, at one number in 64 and at one at least.
  std::optional<double> specialAt(uint64_t index) const;

  const DrawRequest &request_;
  IntegerRange bounds_;
  uint64_t numbers_;
  RandomStream stream_;
  uint64_t pattern_;
};

} // namespace warpwright::vdevice
