#pragma once

#include "feedback/Profile.h"
#include "feedback/evaluators/cuda/DeviceCode.h"
#include "feedback/evaluators/cuda/MeasuringPlace.h"

namespace warpwright {

/// Measures candidates beside their original: writes jobs, has them taken, reads what came of them.
class CudaEvaluator {
public:
  /// `place` is borrowed; `invocation` and `toolkit` are those that all code here is compiled with. Fails
  /// with NotMeasurable where the command makes nothing for the place's architecture.
  static llvm::Expected<CudaEvaluator> create(MeasuringPlace &place, const NvccInvocation &invocation,
                                              const Toolkit &toolkit);

  const NvccTarget &target() const { return target_; }
  /// What is known of the environment without a device.
  const MeasuredEnvironment &environment() const { return environment_; }

  /// nvcc on the request's text or file; the request's target is put right.
  llvm::Expected<DeviceCompile> compile(FileRequest request) const;

  /// The plan in the place of the kernel's launch. Nothing where the place gives no result at once. What
  /// keeps a candidate from being measured is an undecided measurement; errors are faults of the tool or the
  /// machine.
  llvm::Expected<std::optional<Measurement>> measure(const MeasuredKernel &kernel,
                                                     const MeasuredCode &original,
                                                     const MeasuredCode &candidate, const LaunchPlan &plan,
                                                     const MeasureRequest &request);

  /// Profiles of the plan, which launches kernels of `code`: one for each shape that was ordered, in their
  /// order. What could not be had, a missing profiler and a lack of permission among it, is a profile that
  /// says why. Nothing where the place gives no result at once.
  llvm::Expected<std::optional<std::vector<Profile>>>
  profile(const MeasuredKernel &kernel, const MeasuredCode &original, const MeasuredCode &code,
          const LaunchPlan &plan, const ProfileOrder &order);

  /// The plan once on every shape, under compute-sanitizer.
  llvm::Expected<SanitizerReport> sanitize(const MeasuredKernel &kernel, const MeasuredCode &original,
                                           const MeasuredCode &code, const LaunchPlan &plan,
                                           const std::string &name);

  /// An undecided measurement of that kernel and candidate.
  Measurement undecided(const KernelAnalysis &kernel, std::string candidate, std::string reason) const;
  /// The result of a job as a measurement of the kernel, with what the device does not know of it.
  llvm::Expected<Measurement> read(const nlohmann::ordered_json &result, const MeasuredKernel &kernel,
                                   const MeasureRequest &request) const;

private:
  CudaEvaluator(MeasuringPlace &place, NvccTarget target, MeasuredEnvironment environment)
      : place_(&place), target_(std::move(target)), environment_(std::move(environment)) {}

  MeasuringPlace *place_;
  NvccTarget target_;
  MeasuredEnvironment environment_;
};

} // namespace warpwright
