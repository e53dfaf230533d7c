#pragma once

#include <cstdint>

namespace warpwright::vdevice {

class BlockRunner;

/// While one lives, a touch of memory that belongs to nothing, made on this thread of the host, is a fault of
/// the kernel that the runner runs, and not the end of the process: BlockRunner::wildAccess() is called where
/// it happens, and must not return. For code that nobody watches; null: nothing is guarded.
class WildAccess {
public:
  explicit WildAccess(BlockRunner *runner);
  ~WildAccess();
  WildAccess(const WildAccess &) = delete;
  WildAccess &operator=(const WildAccess &) = delete;

private:
  void *stack_ = nullptr;
};

} // namespace warpwright::vdevice
