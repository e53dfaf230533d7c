#pragma once

#include "analysis/Place.h"
#include "feedback/evaluators/virtual/execution/ThreadContext.h"

#include <memory>
#include <string>
#include <vector>

namespace warpwright::vdevice {

/// A kernel that can be run.
struct CompiledKernel {
  std::shared_ptr<void> code;         ///< what owns it
  KernelEntry thread = nullptr;       ///< null where there is a coroutine, or `block` alone
  KernelEntry block = nullptr;        ///< null where threads wait for each other one by one
  CoroutineEntry coroutine = nullptr; ///< null where they do not, or need stacks of their own
  bool recursive = false;             ///< needs a deep stack
  uint64_t frameBytes = 0;   ///< ThreadContext::frames for each thread of a block, where `block` wants it
  std::vector<Place> places; ///< by the numbers that the code hands to the runtime
  std::string uncovered;     ///< the intrinsic or inline PTX that is not covered; no code then
};

} // namespace warpwright::vdevice
