#include "feedback/evaluators/values/ErrorDistribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace warpwright::values {
namespace {

// Magnitudes of 2^-80 .. 2^20, sixteen bins an octave; smaller and larger ones fall into the outermost.
constexpr int lowestExponent = -80;
constexpr int octaves = 100;
constexpr int binsPerOctave = 16;
constexpr uint64_t fewestForBias = 8;

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

} // namespace

ErrorDistribution::ErrorDistribution() : bins_(1 + octaves * binsPerOctave) {}

double ErrorDistribution::add(double reference, double got, double scale) {
  double difference = got - reference;
  double error = difference == 0 ? 0 : scale == 0 ? std::copysign(1.0, difference) : difference / scale;
  ++count_;
  sum_ += error;
  signedSum_ += reference < 0 ? -error : error;
  squares_ += error * error;
  largest_ = std::max(largest_, std::abs(error));
  ++bins_[binOf(std::abs(error))];
  return error;
}

void ErrorDistribution::addEqual(uint64_t count) {
  count_ += count;
  bins_[0] += count;
}

void ErrorDistribution::append(const ErrorDistribution &other) {
  count_ += other.count_;
  sum_ += other.sum_;
  signedSum_ += other.signedSum_;
  squares_ += other.squares_;
  largest_ = std::max(largest_, other.largest_);
  for (size_t bin = 0; bin < bins_.size(); ++bin)
    bins_[bin] += other.bins_[bin];
}

double ErrorDistribution::percentile99() const {
  auto rank = static_cast<uint64_t>(std::ceil(0.99 * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t bin = 0; bin < bins_.size() && count_ != 0; ++bin) {
    seen += bins_[bin];
    if (seen >= rank)
      return std::min(upperEdge(bin), largest_);
  }
  return 0;
}

double ErrorDistribution::bias() const {
  return std::abs(gain()) > std::abs(mean()) ? gain() : mean();
}

double ErrorDistribution::deviation() const {
  if (count_ == 0)
    return 0;
  double variance = squares_ / static_cast<double>(count_) - mean() * mean();
  return std::sqrt(std::max(variance, 0.0));
}

bool ErrorDistribution::isBiased(double limit) const {
  if (count_ < fewestForBias || std::abs(bias()) <= limit)
    return false;
  double number = static_cast<double>(count_);
  double variance = std::max(squares_ / number - bias() * bias(), 0.0);
  return std::abs(bias()) - limit > 3 * std::sqrt(variance / number);
}

} // namespace warpwright::values
