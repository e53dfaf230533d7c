#pragma once

#include "clang_plugin/CommandLine.h"
#include "feedback/evaluators/cuda/CudaEvaluator.h"
#include "feedback/evaluators/cuda/LocalDevice.h"

#include <memory>
#include <optional>

namespace warpwright {

/// The runner that options name, with jobs in the folder given.
RunnerChoice runnerOf(const Options &options, std::string temporaryDirectory);

/// The net's steps 4 and 5 for `verify`: kernels of two files on a device of this machine.
class DeviceVerifier {
public:
  /// A file of the comparison; both outlive the verifier.
  struct Side {
    const FileAnalysis *file = nullptr;
    const FileRequest *request = nullptr;
  };

  /// Starts nvcc on both files. Fails with NoDevice where there is none.
  static llvm::Expected<std::unique_ptr<DeviceVerifier>> create(const Options &options, Side original,
                                                                Side candidate);

  /// The plan in the place of the original's kernel. What cannot be measured is an undecided measurement.
  llvm::Expected<Measurement> verify(const KernelAnalysis &kernel, const LaunchPlan &plan);

private:
  explicit DeviceVerifier(LocalDevice device) : device_(std::move(device)) {}
  llvm::Error compile(Side original, Side candidate);
  llvm::Expected<Measurement> measure(const KernelAnalysis &kernel, const LaunchPlan &plan);

  llvm::Error sanitize(const MeasuredKernel &kernel, const LaunchPlan &plan, Measurement &measurement);

  LocalDevice device_;
  bool isSanitized_ = false;
  std::string notMeasurable_; ///< why nothing of these files can be measured; empty: it can
  std::optional<CudaEvaluator> evaluator_;
  MeasuredCode original_;
  MeasuredCode candidate_;
};

} // namespace warpwright
