#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Kernels of the stub driver: float *in, float *out, int n. Each does the right thing, out = 2 in, save for
/// the one lie it is named after.
namespace stub {

/// The device's state that lies can depend on.
struct Machine {
  double now = 0;         ///< microseconds of device time
  uint32_t shared = 0;    ///< what scrubbing left in shared memory
  uint64_t filled = 0;    ///< bytes filled since the last launch
  uint64_t launches = 0;  ///< of all kernels
  int sticky = 0;         ///< the error every call gives from now on
  bool hangs = false;     ///< nothing ends any more
  double lateSeconds = 0; ///< work left on other streams
};

struct Kernel {
  std::string does = "double"; ///< the lie, or "double"
  double microseconds = 100;
  int threshold = 0; ///< from so many elements on it takes `beyond` microseconds; 0: never
  double beyond = 0;
  uint64_t launches = 0;
  std::map<float *, std::vector<float>> cache; ///< what a lie keeps from earlier launches
};

/// Runs the kernel and moves the clock. Returns what the launch returns.
int launch(Machine &machine, Kernel &kernel, float *in, float *out, int n);

} // namespace stub
