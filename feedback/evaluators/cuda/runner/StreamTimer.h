#pragma once

#include "feedback/evaluators/cuda/runner/BoundPlan.h"

#include <map>

namespace warpwright::runner {

/// Times runs of a plan between two events of the timed stream. The streams are held by a gate until
/// everything is queued, so that the host's launches are not in the time, and work on another stream cannot
/// start before the first event. Where the driver has no such gate, launches are timed as they come.
class StreamTimer {
public:
  static Fallible<StreamTimer> create(const Device &device);

  struct Time {
    double microseconds = 0; ///< of all runs together
    double afterEnd = 0; ///< from the timed stream's last event until the device was idle, seen from the host
    double otherStreams = 0; ///< from the same event until the last of the plan's other streams was done
  };
  /// `count` runs back to back. `refused` tells a launch the driver would not take from a fault while it ran.
  struct Error {
    Failure failure;
    bool refused = false;
  };
  std::variant<Time, Error> time(const BoundPlan &plan, unsigned count);

  bool gated() const { return gate_.has_value(); }

private:
  struct Gate {
    HostArray word;
    cuda::DevicePointer address = 0;
    uint32_t ticket = 0;
  };

  explicit StreamTimer(const Device &device) : device_(&device) {}
  Problem closeGate(const BoundPlan &plan);
  void openGate();
  Problem enqueue(const BoundPlan &plan, unsigned count, bool &refused);
  Fallible<double> microsecondsBetween(cuda::Event first, cuda::Event second) const;

  const Device *device_;
  cuda::Event begin_ = nullptr;
  cuda::Event end_ = nullptr;
  std::map<unsigned, cuda::Event> otherEnds_; ///< by stream; made when a plan first uses it
  std::optional<Gate> gate_;
};

} // namespace warpwright::runner
