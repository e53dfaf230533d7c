#pragma once

#include <vector>

namespace warpwright::loop {

/// A Gaussian process over points of one structure: from a few measured times to a guess, and how sure it is,
/// of all others. Features are to be scaled to about 0..1; the kernel is Matern's with nu = 5/2 (Rasmussen
/// and Williams, "Gaussian Processes for Machine Learning", 2006, eq. 4.17).
class Surrogate {
public:
  /// How far points speak for each other, and how much times differ before anything is measured.
  struct Shape {
    double length = 0.9;
    double variance = 0.16;
  };

  /// `values` are logarithms of ratios; both have the same length.
  Surrogate(std::vector<std::vector<double>> points, std::vector<double> values, Shape shape);

  /// The shape among a few under which the values are likeliest (ibid., eq. 2.30).
  /// `likelihood` gets its logarithm, less a constant.
  static Shape likeliest(const std::vector<std::vector<double>> &points, const std::vector<double> &values,
                         double &likelihood);

  struct Guess {
    double mean = 0;
    double deviation = 1;
  };
  Guess guess(const std::vector<double> &point) const;

private:
  double likelihood() const; ///< its logarithm, less a constant

  std::vector<std::vector<double>> points_;
  Shape shape_;
  double average_ = 0;
  double misfit_ = 0;                       ///< y K^-1 y
  std::vector<std::vector<double>> factor_; ///< Cholesky's, lower
  std::vector<double> weights_;
};

} // namespace warpwright::loop
