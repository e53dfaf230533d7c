#pragma once

#include "analysis/ptxas/PtxasOutput.h"
#include "feedback/evaluators/cuda/MeasuredKernel.h"
#include "rewriters/LaunchPlan.h"

#include <nlohmann/json.hpp>

namespace warpwright {

/// One side of a job: a cubin, and the kernels of the source that it was made from.
struct MeasuredCode {
  std::string cubin; ///< path as the job names it
  std::string sha256;
  std::string architecture; ///< "sm_90"
  PtxasReport report;       ///< of the cubin: the symbols that it has
  llvm::ArrayRef<KernelAnalysis> kernels;
  std::vector<AnnotationContext> signatures; ///< in their order
};

/// What is asked of the runner beside its defaults.
struct MeasureRequest {
  std::string name; ///< a label
  std::vector<uint64_t> seeds = {1, 2, 3, 4, 5};
  bool timing = true;
  /// One seed and as few runs as tell a good candidate from a bad one: enough to rank, too little to choose.
  bool firstLook = false;
  double secondsALimit = 300; ///< for the whole job, waiting for the device aside
  double secondsARun = 20;    ///< for one run of one plan
};

/// What is asked of the device's profiler.
struct ProfileOrder {
  std::string name;           ///< a label: "original", or the candidate's
  std::vector<size_t> shapes; ///< by position in the kernel's; empty: all
  double secondsALimit = 120; ///< for the whole job, waiting for the device aside
  double secondsARun = 20;    ///< for one run of the plan
};

/// A `warpwright/job/1` document: the plan in the place of the original's launch, on every shape. Fails with
/// NotMeasurable where the document cannot say it (elements of mixed types, structs with members that have no
/// value) or the plan cannot be launched; a guard that does not hold on a shape launches the original there.
llvm::Expected<nlohmann::ordered_json> writeJob(const MeasuredKernel &kernel, const MeasuredCode &original,
                                                const MeasuredCode &candidate, const LaunchPlan &plan,
                                                const MeasureRequest &request);

/// A `warpwright/job/1` document that times and compares nothing: profiles of the plan, which launches
/// kernels of `code`, alone. `original` is asked for where a guard of the plan does not hold. Fails as
/// writeJob() does.
llvm::Expected<nlohmann::ordered_json> writeProfileJob(const MeasuredKernel &kernel,
                                                       const MeasuredCode &original, const MeasuredCode &code,
                                                       const LaunchPlan &plan, const ProfileOrder &order);

} // namespace warpwright
