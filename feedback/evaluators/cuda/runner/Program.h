#pragma once

#include "feedback/evaluators/cuda/runner/Device.h"
#include "feedback/evaluators/cuda/runner/Job.h"

#include <map>
#include <string>

namespace warpwright::runner {

/// A cubin on the device, with the kernels that plans name.
class Program {
public:
  static Fallible<Program> load(const Device &device, const std::string &image);
  Program(Program &&other) noexcept
      : device_(other.device_), module_(std::exchange(other.module_, nullptr)),
        functions_(std::move(other.functions_)) {}
  Program &operator=(Program &&) = delete;
  ~Program();

  /// Looks up the plan's kernels, holds number and sizes of their parameters against the arguments, and sets
  /// their attributes. Where the driver cannot tell parameters, only the lookup is done.
  Problem prepare(const Plan &plan);
  /// Of a symbol of a prepared plan.
  cuda::Function function(const std::string &symbol) const { return functions_.at(symbol); }

private:
  Program(const Device &device, cuda::Module module) : device_(&device), module_(module) {}
  Problem prepare(const KernelLaunch &launch);
  Problem checkParameters(const KernelLaunch &launch, cuda::Function function) const;

  const Device *device_;
  cuda::Module module_;
  std::map<std::string, cuda::Function> functions_;
};

} // namespace warpwright::runner
