#pragma once

#include <vector>

namespace warpwright::loop {

/// A Gaussian process over points of one structure: from a few measured times to a guess, and how sure it is,
/// of all others. Features are to be scaled to about 0..1; the kernel is Matern's with nu = 5/2 (Rasmussen
/// and Williams, "Gaussian Processes for Machine Learning", 2006, eq. 4.17).
class Surrogate {
public:
  /// How far points speak for each other, and how much values differ before anything is measured. Both are
  /// constants: fitted to a handful of points they made it sure of what nobody had seen, and searches got
  /// stuck.
  static constexpr double length = 1.4;
  static constexpr double variance = 0.4;

  /// `values` are logarithms of ratios; both have the same length.
  Surrogate(std::vector<std::vector<double>> points, std::vector<double> values);

  /// How likely the values are before they are known (ibid., eq. 2.30): a logarithm, less a constant.
  double likelihood() const;

  struct Guess {
    double mean = 0;
    double deviation = 1;
  };
  Guess guess(const std::vector<double> &point) const;

private:
  std::vector<std::vector<double>> points_;
  double average_ = 0;
  double misfit_ = 0;                       ///< y K^-1 y
  std::vector<std::vector<double>> factor_; ///< Cholesky's, lower
  std::vector<double> weights_;
};

} // namespace warpwright::loop
