#pragma once

#include "feedback/evaluators/virtual/verify/CheckShapes.h"

#include <vector>

namespace warpwright::vdevice {

/// Shapes just inside and just outside of a guard that compares an integer, or a product of several, with a
/// number: the first integer is one less, equal to and one more than what makes them meet, all others are
/// small. A family is shrunk until a run is short, mostly below such numbers, and what is launched under
/// `n >= 1024` would run on none of its shapes.
///
/// `main` is a shape that runs. What require() does not admit, or is beyond the budget, is left out; nothing
/// for guards of other forms.
std::vector<CheckShape> chooseGuardEdges(const ScalarExpression &guard, const Shape &main,
                                         const Annotation &annotation, const AnnotationContext &context,
                                         const ShapeBudget &budget);

} // namespace warpwright::vdevice
