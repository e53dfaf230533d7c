#pragma once

#include "feedback/evaluators/virtual/verify/CheckShapes.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::vdevice {

enum class Fit {
  Good,
  TooLarge, ///< for the budget
  Illegal   ///< require() does not admit it, or CUDA cannot launch it
};

Fit fitOf(const Shape &shape, const Annotation &annotation, const AnnotationContext &context,
          const ShapeBudget &budget);

/// Null where the value is no integer.
int64_t *integerOf(Shape &shape, const std::string &name);

/// Names of the shape's sizes, or of its counts of few things (SmallCount).
std::vector<std::string> integersOf(const Shape &shape, bool sizes);

/// The shape with one of the sizes, or all alike, moved to the nearest value that makes it good; nothing
/// where none is near.
std::optional<Shape> mend(const Shape &shape, const std::vector<std::string> &sizes,
                          const Annotation &annotation, const AnnotationContext &context,
                          const ShapeBudget &budget);

} // namespace warpwright::vdevice
