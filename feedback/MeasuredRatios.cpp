#include "feedback/MeasuredRatios.h"

#include <algorithm>
#include <cmath>

namespace warpwright {

double marginOf(const ShapeMeasurement &shape) {
  return std::max(smallestMargin, shape.noise);
}

bool mayBeSlower(const ShapeMeasurement &shape) {
  return shape.comparison == TimeComparison::Ambiguous && shape.ratioHigh > 1 + marginOf(shape);
}

double meanRatio(const Measurement &measurement) {
  double sum = 0;
  unsigned shapes = 0;
  for (const ShapeMeasurement &shape : measurement.shapes)
    if (shape.timed && shape.ratio > 0) {
      sum += std::log(shape.ratio);
      ++shapes;
    }
  return shapes == 0 ? 1 : std::exp(sum / shapes);
}

const ShapeMeasurement *find(const Measurement &measurement, const std::string &name) {
  for (const ShapeMeasurement &shape : measurement.shapes)
    if (shape.shape == name && shape.timed)
      return &shape;
  return nullptr;
}

bool holdsOn(const ScalarExpression &guard, const DispatchMeans &means, const std::string &shape) {
  auto values = means.scalars.find(shape);
  if (values == means.scalars.end())
    return false;
  llvm::Expected<int64_t> holds = guard.evaluate(values->second);
  if (holds)
    return *holds != 0;
  llvm::consumeError(holds.takeError());
  return false;
}

Measurement withoutNoiseOutside(const Measurement &measurement, const DispatchMeans &means,
                                const std::string &guard) {
  Measurement result = measurement;
  for (ShapeMeasurement &shape : result.shapes) {
    if (shape.comparison != TimeComparison::Ambiguous || holdsOn(guard, means, shape.shape))
      continue;
    shape.comparison = TimeComparison::Same;
    shape.ratio = shape.ratioLow = shape.ratioHigh = 1;
  }
  return result;
}

bool holdsOn(const std::string &guard, const DispatchMeans &means, const std::string &shape) {
  llvm::Expected<ScalarExpression> parsed = ScalarExpression::parse(guard);
  if (parsed)
    return holdsOn(*parsed, means, shape);
  llvm::consumeError(parsed.takeError());
  return false;
}

} // namespace warpwright
