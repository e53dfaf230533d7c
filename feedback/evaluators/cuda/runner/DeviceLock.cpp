#include "feedback/evaluators/cuda/runner/DeviceLock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace warpwright::runner {
namespace {

/// Opens the file of another user, too: in a sticky folder the kernel refuses O_CREAT on those, while a lock
/// needs no more than reading.
int openShared(const std::string &path) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor >= 0 || errno != ENOENT)
      return descriptor;
    descriptor = open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

} // namespace

Fallible<DeviceLock> DeviceLock::acquire(const std::string &folder, const std::string &uuid) {
  std::string path = folder + "/warpwright-" + uuid + ".lock";
  int descriptor = openShared(path);
  if (descriptor < 0)
    return Failure{"the device's lock " + path + ": " + std::strerror(errno)};
  int result;
  do
    result = flock(descriptor, LOCK_EX);
  while (result != 0 && errno == EINTR);
  if (result == 0)
    return DeviceLock(descriptor);
  Failure failure{"the device's lock " + path + ": " + std::strerror(errno)};
  close(descriptor);
  return failure;
}

DeviceLock::~DeviceLock() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

} // namespace warpwright::runner
