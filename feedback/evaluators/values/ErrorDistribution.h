#pragma once

#include <cstdint>
#include <vector>

namespace warpwright::values {

/// Errors of one buffer over any number of comparisons. The error of a number is (got - reference) / scale
/// with scale = max(|reference|, root mean square of the reference over the buffer): a sum of centred numbers
/// would make the plain relative error meaningless. Where the scale is 0 it is 1 or -1. Numbers that are not
/// finite on both sides are not part of it.
class ErrorDistribution {
public:
  ErrorDistribution();

  /// Returns the error.
  double add(double reference, double got, double scale);
  /// Numbers without an error.
  void addEqual(uint64_t count);
  void append(const ErrorDistribution &other);

  uint64_t count() const { return count_; }
  double largest() const { return largest_; } ///< of the magnitudes
  /// Of the magnitudes: the upper edge of its bin, at most 1/16 above it; 0 without any.
  double percentile99() const;
  /// Mean error: what a constant offset leaves.
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  /// Mean of the errors with the reference's sign: what a wrong factor leaves, in centred results, too.
  double gain() const { return count_ == 0 ? 0 : signedSum_ / static_cast<double>(count_); }
  /// The one of mean() and gain() that is farther from zero.
  double bias() const;
  double deviation() const;
  /// Whether bias() exceeds the limit by more than chance: there are eight numbers or more, and it is beyond
  /// three standard errors.
  bool isBiased(double limit) const;

private:
  uint64_t count_ = 0;
  double largest_ = 0;
  double sum_ = 0;
  double signedSum_ = 0;
  double squares_ = 0;
  std::vector<uint64_t> bins_; ///< of the magnitude; the first holds zeros
};

} // namespace warpwright::values
