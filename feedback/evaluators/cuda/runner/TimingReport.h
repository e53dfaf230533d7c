#pragma once

#include "feedback/evaluators/cuda/runner/TimingVerdict.h"

#include <nlohmann/json.hpp>

namespace warpwright::runner {

/// The `timing` of one shape in a result: medians with their intervals, all warm samples, ratios and the
/// comparison.
nlohmann::ordered_json timingDocument(const Timings &timings, const TimingVerdict &verdict, unsigned batch,
                                      size_t sessions);

} // namespace warpwright::runner
