#pragma once

#include "feedback/evaluators/cuda/runner/BoundPlan.h"
#include "feedback/evaluators/cuda/runner/Fault.h"
#include "feedback/evaluators/cuda/runner/Messages.h"
#include "feedback/evaluators/cuda/runner/Scrubber.h"
#include "feedback/evaluators/cuda/runner/Workspace.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::runner {

/// Why the evaluation goes no further: somebody's fault, or a failure with the way in which it ends the job.
struct Stop {
  std::optional<Fault> fault;
  Failure failure;
  Ending ending = Ending::ToolFault;

  static Stop of(const Failure &failure) { return {std::nullopt, failure, Ending::ToolFault}; }
  static Stop of(const Fault &fault) { return {fault, {}, Ending::ToolFault}; }
};
using Ended = std::optional<Stop>;

/// A program with its plan, bound to the shape's memory. `original` runs nothing of the candidate's: also the
/// twin of the original is one.
struct Variant {
  std::string name;
  Blame blame = Blame::Original;
  const BoundPlan *plan = nullptr;
};

/// What a kernel finds around it that it must not depend on.
struct Circumstances {
  unsigned slot = 0;            ///< the inputs
  uint32_t poison = 0xffffffff; ///< in outputs and scratch: NaN as floating numbers of any width
  unsigned guards = 0;          ///< the pattern in the zones around buffers
  uint32_t shared = 0xffffffff; ///< in shared memory
};

/// A word that as float, or as a pair of halves, is a number between 1 and 2: no value that outputs could not
/// have.
uint32_t plausiblePoison(uint64_t number);

/// What a run wrote: by buffer, empty for inputs.
using Outputs = std::vector<HostArray>;

/// Runs variants on one shape's memory, one run at a time and every call checked.
class Bench {
public:
  Bench(const Job &job, const Device &device, Workspace &workspace, const Scrubber &scrubber,
        const Messages &messages)
      : job_(job), device_(device), workspace_(workspace), scrubber_(scrubber), messages_(messages) {}

  /// Everything around the kernel made as `circumstances` say, in the stream's order; nothing of it is timed.
  Problem prepare(const Circumstances &circumstances) const;
  /// Prepares, runs once and waits. `what` names the step for the watching process.
  Ended run(const Variant &variant, const Circumstances &circumstances, const std::string &what) const;
  /// run(), then looks at guards and inputs, and fetches the outputs.
  Ended runAndFetch(const Variant &variant, const Circumstances &circumstances, const std::string &what,
                    Outputs &outputs);
  Problem fetch(Outputs &outputs) const;

  Fault fault(FaultKind kind, const Variant &variant, const std::string &detail) const;
  /// What the driver says after a run was put on the stream.
  Stop deviceFault(const Variant &variant, const Failure &failure) const;

  const Job &job() const { return job_; }
  const Device &device() const { return device_; }
  const Shape &shape() const { return workspace_.shape(); }
  Workspace &workspace() { return workspace_; }
  const Messages &messages() const { return messages_; }

private:
  const Job &job_;
  const Device &device_;
  Workspace &workspace_;
  const Scrubber &scrubber_;
  const Messages &messages_;
};

} // namespace warpwright::runner
