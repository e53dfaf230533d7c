#pragma once

#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/checks/AccessFinder.h"
#include "feedback/evaluators/virtual/execution/CompiledKernel.h"

#include <atomic>
#include <mutex>

namespace warpwright::vdevice {

/// What the workers of one launch share.
struct LaunchState {
  LaunchState(const CompiledKernel &code, const DeviceKernel &kernel, const LaunchRequest &request)
      : code(code), kernel(kernel), request(request) {}

  const CompiledKernel &code;
  const DeviceKernel &kernel;
  const LaunchRequest &request;
  std::vector<uint8_t> parameters;
  std::vector<uint64_t> variables; ///< addresses by index
  uint64_t blocks = 0;
  /// Block number i to run is (i * step + first) modulo their number.
  uint64_t orderStep = 1;
  uint64_t orderFirst = 0;

  std::atomic<uint64_t> next = 0;
  std::atomic<bool> stopped = false; ///< no further block is started
  std::mutex mutex;                  ///< of what follows
  std::vector<Fault> faults;
  std::optional<WildAddress> wild;         ///< what ended an unwatched launch
  std::map<uint64_t, std::string> printed; ///< by block
  std::string failure;                     ///< why a worker could not work; not a fault of the kernel

  void report(Fault fault) {
    std::scoped_lock lock(mutex);
    mergeFaults(faults, fault);
  }
};

} // namespace warpwright::vdevice
