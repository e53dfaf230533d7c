#pragma once

#include "feedback/ChooseMeasured.h"

namespace warpwright {

/// Of the verdict on a candidate that a first look leaves out.
inline constexpr const char *firstLookStage = "first look";

/// As many candidates are measured in full without a look before.
inline constexpr size_t fewestForFirstLook = 6;
/// As many are measured in full after one, beside those that lead on a shape.
inline constexpr size_t keptByFirstLook = 2;

/// The candidates worth the whole protocol, in their order: the `most` of the smallest geometric mean of
/// ratios (candidate over original, over all shapes) that are near the smallest, and the fastest of each
/// shape where it gains there, for it may be the better one of a dispatch. A pure function of what a first
/// look measured; candidates that were declined there are not among them, those without times are.
std::vector<UnitSet> worthMeasuring(const std::vector<UnitSet> &candidates,
                                    const std::map<UnitSet, Measurement> &looks, size_t most);

/// "1.24 times the original's time on a first look" of the mean over shapes.
std::string describeLook(const Measurement &look);

} // namespace warpwright
