#include "feedback/evaluators/values/Comparison.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace warpwright::values {
namespace {

// Magnitudes of 2^-80 .. 2^20, sixteen bins an octave; smaller and larger ones fall into the outermost.
constexpr int lowestExponent = -80;
constexpr int octaves = 100;
constexpr int binsPerOctave = 16;

size_t binOf(double magnitude) {
  if (magnitude == 0)
    return 0;
  // The exponent and the upper four bits of the mantissa, as one number, count sixteenths of octaves.
  auto position = static_cast<int64_t>(std::bit_cast<uint64_t>(magnitude) >> 48);
  int64_t first = static_cast<int64_t>(1023 + lowestExponent) * binsPerOctave;
  return 1 + static_cast<size_t>(std::clamp<int64_t>(position - first, 0, octaves * binsPerOctave - 1));
}

double upperEdge(size_t bin) {
  if (bin == 0)
    return 0;
  auto octave = static_cast<int>((bin - 1) / binsPerOctave);
  auto part = static_cast<double>((bin - 1) % binsPerOctave + 1);
  return std::ldexp(1 + part / binsPerOctave, lowestExponent + octave);
}

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

ErrorAccumulator::ErrorAccumulator(const Tolerance &tolerance)
    : tolerance_(tolerance), bins_(1 + octaves * binsPerOctave) {}

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
  double error = sameBits || difference == 0 ? 0
                 : scale == 0                ? std::copysign(1.0, difference)
                                             : difference / scale;
  ++finite_;
  sum_ += error;
  sumOfSquares_ += error * error;
  counts_.maximum = std::max(counts_.maximum, std::fabs(error));
  ++bins_[binOf(std::fabs(error))];
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
      finite_ += length;
      bins_[0] += length;
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
  counts_.maximum = std::max(counts_.maximum, other.counts_.maximum);
  if (!counts_.firstBad && other.counts_.firstBad) {
    counts_.firstBad = other.counts_.firstBad;
    counts_.referenceAtFirstBad = other.counts_.referenceAtFirstBad;
    counts_.candidateAtFirstBad = other.counts_.candidateAtFirstBad;
  }
  finite_ += other.finite_;
  sum_ += other.sum_;
  sumOfSquares_ += other.sumOfSquares_;
  for (size_t bin = 0; bin < bins_.size(); ++bin)
    bins_[bin] += other.bins_[bin];
}

ErrorSummary ErrorAccumulator::summary() const {
  ErrorSummary summary = counts_;
  if (finite_ == 0)
    return summary;
  auto count = static_cast<double>(finite_);
  summary.mean = sum_ / count;
  summary.deviation = std::sqrt(std::max(0.0, sumOfSquares_ / count - summary.mean * summary.mean));
  auto rank = static_cast<uint64_t>(std::ceil(0.99 * count));
  uint64_t seen = 0;
  for (size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen < rank)
      continue;
    summary.percentile99 = std::min(upperEdge(bin), summary.maximum);
    break;
  }
  return summary;
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
                : "beyond the tolerance, the largest relative error is " + number(errors.maximum)) +
           place;
  if (tolerance.exact || tolerance.bias == 0 || errors.count < biasElements)
    return std::nullopt;
  double standardError = errors.deviation / std::sqrt(static_cast<double>(errors.count));
  if (std::fabs(errors.mean) - 3 * standardError <= tolerance.bias)
    return std::nullopt;
  return "the mean relative error " + number(errors.mean) + " is beyond the bias " + number(tolerance.bias);
}

} // namespace warpwright::values
