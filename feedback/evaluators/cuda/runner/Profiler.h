#pragma once

#include "feedback/evaluators/cuda/runner/Bench.h"
#include "feedback/evaluators/cuda/runner/BoundPlan.h"

#include <functional>
#include <memory>
#include <string>

namespace warpwright::runner {

/// Code with its plan on one shape, for a profile.
struct ProfileSubject {
  std::string image; ///< the cubin: its line table tells where an instruction comes from
  const Plan *plan = nullptr;
  const Workspace *workspace = nullptr;
  bool ofCandidate = false;
  std::function<Problem()> prepare; ///< inputs, poison and guards as before any run
};

/// The device's profiler. What it cannot do it says by the error's own name; a run never fails for it.
class Profiler {
public:
  /// `library` names CUPTI; empty: wherever it is. A failure where there is none, or where this program was
  /// built without CUPTI's headers.
  static Fallible<std::unique_ptr<Profiler>> load(const Device &device, const std::string &library);
  virtual ~Profiler() = default;

  /// Fills a profile document's "counters", and "counters" and "stalls" of its "launches". Runs the plan once
  /// for the caller, and each of its kernels once a pass.
  virtual void counters(const BoundPlan &plan, Json &profile) const = 0;
  /// Fills "samples", and "lines" of the "launches": runs the plan until there are enough samples.
  virtual void samples(const ProfileSubject &subject, Json &profile) const = 0;
};

} // namespace warpwright::runner
