#pragma once

#include "feedback/evaluators/cuda/runner/Fallible.h"

#include <string>

namespace warpwright::runner {

/// One measurement a device at a time: an flock on a file named after the device's UUID, so that parallel
/// builds, users and containers that share the folder wait for each other, whatever number the device has in
/// each. The kernel drops the lock when the process ends, however it ends.
class DeviceLock {
public:
  /// Blocks until the device is free. A failure names the file.
  static Fallible<DeviceLock> acquire(const std::string &folder, const std::string &uuid);

  DeviceLock(DeviceLock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DeviceLock &operator=(DeviceLock &&) = delete;
  ~DeviceLock();

private:
  explicit DeviceLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

} // namespace warpwright::runner
