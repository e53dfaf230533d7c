#pragma once

#include "feedback/ChooseMeasured.h"

namespace warpwright {

// How choices compare times: ratios of a candidate's time to the original's, shape by shape.

/// Differences below this are not worth a change; the runner's own comparisons have the same.
constexpr double smallestMargin = 0.01;

/// Below it a difference on the shape may be noise.
double marginOf(const ShapeMeasurement &shape);
/// The times do not say whether it is slower by more than the margin.
bool mayBeSlower(const ShapeMeasurement &shape);
/// The geometric mean over the shapes that were timed.
double meanRatio(const Measurement &measurement);
/// The shape of that name, if it was timed; else null.
const ShapeMeasurement *find(const Measurement &measurement, const std::string &name);
/// Whether the guard holds on the shape; where that cannot be said, the original is launched.
bool holdsOn(const ScalarExpression &guard, const DispatchMeans &means, const std::string &shape);
bool holdsOn(const std::string &guard, const DispatchMeans &means, const std::string &shape);

/// What was measured under a guard, with the shapes on which the guard does not hold as the launch of the
/// original that they are: noise says nothing against a choice there. What is plainly slower stays slower.
Measurement withoutNoiseOutside(const Measurement &measurement, const DispatchMeans &means,
                                const std::string &guard);

} // namespace warpwright
