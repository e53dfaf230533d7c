#pragma once

#include "feedback/evaluators/cuda/JobWriter.h"

namespace warpwright {

/// A plan of a job: `concrete` is what `plan` comes to, and launches kernels of the code. Fails with
/// NotMeasurable as writeJob() does.
llvm::Expected<nlohmann::ordered_json> writePlan(const LaunchPlan &plan, const ConcretePlan &concrete,
                                                 const MeasuredCode &code);

} // namespace warpwright
