#include "feedback/evaluators/values/Comparison.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace warpwright::values {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

} // namespace

double rootMeanSquare(ElementType type, const void *buffer, uint64_t count) {
  double sum = 0;
  uint64_t finite = 0;
  for (uint64_t index = 0; index < count; ++index) {
    double value = loadElement(type, buffer, index);
    if (!std::isfinite(value))
      continue;
    sum += value * value;
    ++finite;
  }
  return finite ? std::sqrt(sum / static_cast<double>(finite)) : 0;
}

ErrorAccumulator::ErrorAccumulator(const Tolerance &tolerance) : tolerance_(tolerance) {}

void ErrorAccumulator::noteBad(uint64_t index, double reference, double candidate) {
  ++counts_.bad;
  if (counts_.firstBad)
    return;
  counts_.firstBad = index;
  counts_.referenceAtFirstBad = reference;
  counts_.candidateAtFirstBad = candidate;
}

void ErrorAccumulator::addElement(ElementType type, const void *reference, const void *candidate,
                                  uint64_t offset, uint64_t index, double scaleFloor) {
  double expected = loadElement(type, reference, offset), found = loadElement(type, candidate, offset);
  bool bothNaN = std::isnan(expected) && std::isnan(found);
  if (bothNaN)
    return;
  size_t size = sizeOf(type);
  bool sameBits = std::memcmp(static_cast<const char *>(reference) + offset * size,
                              static_cast<const char *>(candidate) + offset * size, size) == 0;
  counts_.different += !sameBits;
  if (sameBits && !std::isfinite(expected))
    return;
  if (std::isnan(expected) || std::isnan(found)) {
    ++counts_.notANumber;
    return noteBad(index, expected, found);
  }
  if (std::isinf(expected) || std::isinf(found)) {
    ++counts_.infinite;
    return noteBad(index, expected, found);
  }
  double scale = std::max(std::fabs(expected), scaleFloor);
  double difference = found - expected;
  counts_.errors.add(expected, found, scale);
  bool passes = tolerance_.exact ? sameBits
                                 : std::fabs(difference) <= tolerance_.absolute + tolerance_.relative * scale;
  if (!passes)
    noteBad(index, expected, found);
}

void ErrorAccumulator::add(ElementType type, const void *reference, const void *candidate, uint64_t index,
                           uint64_t count, double scaleFloor) {
  constexpr uint64_t chunk = 1024;
  size_t size = sizeOf(type);
  counts_.count += count;
  for (uint64_t begin = 0; begin < count; begin += chunk) {
    uint64_t length = std::min(chunk, count - begin);
    const char *expected = static_cast<const char *>(reference) + begin * size;
    const char *found = static_cast<const char *>(candidate) + begin * size;
    // Equal chunks are counted as if all their elements were finite: it only dilutes the mean.
    if (std::memcmp(expected, found, length * size) == 0) {
      counts_.errors.addEqual(length);
      continue;
    }
    for (uint64_t offset = 0; offset < length; ++offset)
      addElement(type, expected, found, offset, index + begin + offset, scaleFloor);
  }
}

void ErrorAccumulator::merge(const ErrorAccumulator &other) {
  counts_.count += other.counts_.count;
  counts_.different += other.counts_.different;
  counts_.bad += other.counts_.bad;
  counts_.notANumber += other.counts_.notANumber;
  counts_.infinite += other.counts_.infinite;
  counts_.errors.append(other.counts_.errors);
  if (!counts_.firstBad && other.counts_.firstBad) {
    counts_.firstBad = other.counts_.firstBad;
    counts_.referenceAtFirstBad = other.counts_.referenceAtFirstBad;
    counts_.candidateAtFirstBad = other.counts_.candidateAtFirstBad;
  }
}

std::optional<std::string> judge(const ErrorSummary &errors, const Tolerance &tolerance) {
  if (errors.count == 0)
    return "nothing was compared";
  std::string place = errors.firstBad ? ", first at element " + std::to_string(*errors.firstBad) + ": " +
                                            number(errors.candidateAtFirstBad) + " instead of " +
                                            number(errors.referenceAtFirstBad)
                                      : "";
  if (errors.notANumber)
    return std::to_string(errors.notANumber) + " elements are NaN on one side only" + place;
  if (errors.infinite)
    return std::to_string(errors.infinite) + " elements are infinite on one side only" + place;
  if (errors.bad)
    return std::to_string(errors.bad) + " of " + std::to_string(errors.count) + " elements are " +
           (tolerance.exact
                ? "not bit-exact"
                : "beyond the tolerance, the largest relative error is " + number(errors.errors.largest())) +
           place;
  if (tolerance.exact || tolerance.bias == 0 || !errors.errors.isBiased(tolerance.bias))
    return std::nullopt;
  return "the mean relative error " + number(errors.errors.bias()) + " is beyond the bias " +
         number(tolerance.bias);
}

} // namespace warpwright::values
