#pragma once

#include "feedback/evaluators/cuda/runner/Job.h"
#include "feedback/evaluators/cuda/runner/Messages.h"

#include <string>

namespace warpwright::runner {

struct DeviceChoice {
  std::string driver; ///< the library's path; empty: libcuda.so.1
  std::string cupti;  ///< the profiler's library; empty: wherever it is
  int ordinal = 0;
  std::string lockFolder = "/tmp"; ///< empty: no lock
};

/// Does what the job says, in this process, and tells `messages`: loads original, twin and candidate, and for
/// each shape checks results, times, and checks again. Ends at the first fault.
void evaluate(const Job &job, const DeviceChoice &choice, const Messages &messages);

} // namespace warpwright::runner
