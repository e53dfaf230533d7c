#include "feedback/loop/Surrogate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace warpwright::loop {
namespace {

constexpr double noise = 1e-4; // variance of a logarithm of a ratio: 1 %

double kernel(const std::vector<double> &a, const std::vector<double> &b) {
  double square = 0;
  for (size_t i = 0; i < a.size(); ++i)
    square += (a[i] - b[i]) * (a[i] - b[i]);
  double r = std::sqrt(5 * square) / Surrogate::length;
  return Surrogate::variance * (1 + r + r * r / 3) * std::exp(-r);
}

/// Solves L x = b.
std::vector<double> forward(const std::vector<std::vector<double>> &factor, std::vector<double> b) {
  for (size_t i = 0; i < b.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      b[i] -= factor[i][j] * b[j];
    b[i] /= factor[i][i];
  }
  return b;
}

} // namespace

Surrogate::Surrogate(std::vector<std::vector<double>> points, std::vector<double> values)
    : points_(std::move(points)) {
  const size_t n = values.size();
  for (double value : values)
    average_ += value / double(n);
  factor_.assign(n, std::vector<double>(n, 0.0));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = kernel(points_[i], points_[j]) + (i == j ? noise : 0);
      for (size_t k = 0; k < j; ++k)
        sum -= factor_[i][k] * factor_[j][k];
      factor_[i][j] = i == j ? std::sqrt(std::max(sum, 1e-9)) : sum / factor_[j][j];
    }
  for (double &value : values)
    value -= average_;
  weights_ = forward(factor_, std::move(values));
  for (double weight : weights_)
    misfit_ += weight * weight;
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; ++j)
      weights_[i] -= factor_[j][i] * weights_[j];
    weights_[i] /= factor_[i][i];
  }
}

double Surrogate::likelihood() const {
  double volume = 0;
  for (size_t i = 0; i < factor_.size(); ++i)
    volume += std::log(factor_[i][i]);
  return -misfit_ / 2 - volume;
}

Surrogate::Guess Surrogate::guess(const std::vector<double> &point) const {
  std::vector<double> near;
  for (const std::vector<double> &known : points_)
    near.push_back(kernel(point, known));
  Guess guess;
  guess.mean = average_;
  for (size_t i = 0; i < near.size(); ++i)
    guess.mean += near[i] * weights_[i];
  double left = variance;
  for (double v : forward(factor_, std::move(near)))
    left -= v * v;
  guess.deviation = std::sqrt(std::max(left, 1e-9));
  return guess;
}

} // namespace warpwright::loop
