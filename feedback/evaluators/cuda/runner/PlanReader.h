#pragma once

#include "feedback/evaluators/cuda/runner/Job.h"
#include "feedback/evaluators/cuda/runner/JsonReader.h"

namespace warpwright::runner {

/// Reads a plan; what is wrong goes to `mistake`. `buffers` are those of the shape: every address of the plan
/// must lie in one of them or in the plan's own scratch.
Plan readPlan(const Json &value, const std::string &place, const std::vector<Buffer> &buffers,
              Mistake &mistake);

} // namespace warpwright::runner
