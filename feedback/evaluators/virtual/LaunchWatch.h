#pragma once

#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/Monitor.h"
#include "feedback/evaluators/virtual/WatchedLaunch.h"

#include <memory>
#include <vector>

namespace warpwright::vdevice {

/// Watches one launch: every check, and what the hardware would count.
class LaunchWatch {
public:
  struct Options {
    unsigned workers = 1;
    bool checks = true;
    bool counters = true;
  };
  LaunchWatch(const WatchedLaunch &launch, const Options &options);
  ~LaunchWatch();

  /// One a worker, for LaunchRequest::monitors.
  std::vector<Monitor *> monitors() const;

  /// After the launch: what the checks found, sorted by place. The same whatever the number of workers and
  /// the order in which they ran.
  std::vector<Fault> faults() const;
  /// After the launch; empty without `counters`.
  simt::LaunchCounters counters() const;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace warpwright::vdevice
