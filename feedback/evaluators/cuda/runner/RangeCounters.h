#pragma once

#include "feedback/evaluators/cuda/runner/Cupti.h"
#include "feedback/evaluators/cuda/runner/Messages.h"

#include <functional>

namespace warpwright::runner {

/// What counters said.
struct CountedLaunches {
  uint64_t passes = 0;
  std::vector<Json> launches; ///< "counters" and "stalls", in the order of the launches
};

/// Collects Counters.def over `launches` kernel launches that `run` puts on the device: every kernel runs
/// once a pass, with the memory it changes put back in between.
Fallible<CountedLaunches> collectCounters(const Cupti &cupti, const Device &device, size_t launches,
                                          const std::function<Problem()> &run);

} // namespace warpwright::runner
