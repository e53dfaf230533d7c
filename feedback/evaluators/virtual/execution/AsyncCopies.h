#pragma once

#include "feedback/evaluators/virtual/Monitor.h"

#include <cstdint>
#include <vector>

namespace warpwright::vdevice {

/// The copies that the threads of a block have issued with cp.async and not waited for. What a copy reads is
/// read when it is issued; what it writes appears when its thread waits for it, the latest that the device
/// allows, so that code which reads too early sees what was there before.
class AsyncCopies {
public:
  static constexpr unsigned mostBytes = 16;

  struct Copy {
    Access access; ///< to shared memory, as the monitor allowed it
    uint8_t data[mostBytes] = {};
  };

  void beginBlock() {
    for (Thread &thread : threads_)
      thread = {};
  }
  void issue(uint32_t thread, const Copy &copy);
  /// What was issued up to now and is in no group makes one.
  void commit(uint32_t thread);
  /// Ends all groups but the latest `pending`.
  void wait(uint32_t thread, uint32_t pending, Monitor *monitor);
  void waitForAll(uint32_t thread, Monitor *monitor);

private:
  struct Thread {
    std::vector<Copy> copies;   ///< in the order of issue
    std::vector<size_t> groups; ///< for each the number of copies up to its end
  };
  Thread &of(uint32_t thread);
  static void finish(Thread &thread, size_t count, Monitor *monitor);

  std::vector<Thread> threads_; ///< empty where none ever copied
};

} // namespace warpwright::vdevice
