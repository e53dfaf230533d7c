#pragma once

#include "analysis/Place.h"
#include "feedback/evaluators/virtual/execution/ThreadContext.h"

#include <memory>
#include <string>
#include <vector>

namespace warpwright::vdevice {

/// A kernel that can be run.
struct CompiledKernel {
  std::shared_ptr<void> code; ///< what owns it
  KernelEntry thread = nullptr;
  KernelEntry block = nullptr; ///< null where each thread is a fibre
  bool recursive = false;      ///< needs a deep stack
  std::vector<Place> places;   ///< by the numbers that the code hands to the runtime
  std::string uncovered;       ///< the intrinsic or inline PTX that is not covered; no code then
};

} // namespace warpwright::vdevice
