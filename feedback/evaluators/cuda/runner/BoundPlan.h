#pragma once

#include "feedback/evaluators/cuda/runner/Program.h"
#include "feedback/evaluators/cuda/runner/Workspace.h"

#include <set>
#include <string>
#include <vector>

namespace warpwright::runner {

/// A plan with addresses and functions filled in, ready to be put on the stream many times.
class BoundPlan {
public:
  /// The plan must be prepared in `program`; `ofCandidate` says whose scratch it means.
  BoundPlan(const Device &device, const Program &program, const Plan &plan, const Workspace &workspace,
            bool ofCandidate);

  /// One kernel launch of the plan.
  struct Kernel {
    std::string symbol;
    cuda::Function function = nullptr;
    cuda::LaunchConfiguration configuration = {};
  };
  /// In their order, fills left out.
  std::vector<Kernel> kernels() const;

  /// Puts every step on its stream. A failure names the kernel that was refused.
  Problem enqueue() const;
  /// Numbers of the streams it uses, 0 always among them.
  const std::set<unsigned> &streams() const { return streams_; }
  /// Steps of one run.
  size_t size() const { return steps_.size(); }

private:
  struct Step {
    std::string symbol; ///< empty: a fill
    cuda::Function function = nullptr;
    cuda::LaunchConfiguration configuration = {};
    std::vector<cuda::LaunchAttribute> attributes;
    std::vector<std::string> arguments;
    cuda::DevicePointer fillStart = 0;
    uint64_t fillBytes = 0;
    uint8_t fillValue = 0;
  };
  Step bind(const KernelLaunch &launch, const Program &program, const Workspace &workspace,
            bool ofCandidate) const;

  const Device *device_;
  std::vector<Step> steps_;
  std::set<unsigned> streams_ = {0};
};

} // namespace warpwright::runner
