#pragma once

#include "feedback/evaluators/cuda/runner/Job.h"
#include "feedback/evaluators/cuda/runner/Messages.h"

#include <functional>

namespace warpwright::runner {

/// What became of a job.
struct Outcome {
  Json result;      ///< the document, warpwright/result/1
  int exitCode = 4; ///< 0 accepted, 1 declined, 2 undecided; an Ending's number otherwise
};

/// Runs `evaluate` in a process of its own and watches it: a hang, a crash or a limit costs that process
/// only, and is named after what ran at that time. This process never touches the device.
Outcome supervise(const Job &job, const std::function<void(const Messages &)> &evaluate);

} // namespace warpwright::runner
