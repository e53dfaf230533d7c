#pragma once

#include "analysis/Launch.h"
#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/DeviceProgram.h"

#include <llvm/ADT/ArrayRef.h>

namespace warpwright::vdevice {

struct ConvergenceMarks;

/// What there is to know of a launch before it is watched. All of it outlives those who watch.
struct WatchedLaunch {
  llvm::ArrayRef<Site> sites;
  const DeviceKernel *kernel = nullptr;
  const DeviceMemory *memory = nullptr;
  Dim3 grid;
  Dim3 block;
  uint64_t dynamicSharedBytes = 0;
  const ConvergenceMarks *marks = nullptr; ///< null: code is not marked

  uint64_t sharedBytes() const { return kernel->shared.bytes + dynamicSharedBytes; }
};

} // namespace warpwright::vdevice
