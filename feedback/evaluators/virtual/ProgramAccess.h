#pragma once

#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/execution/CompiledKernel.h"
#include "feedback/evaluators/virtual/lowering/Lower.h"

namespace warpwright::vdevice {

/// What execution sees of a program beyond its public face.
class ProgramAccess {
public:
  /// Compiled when it is first asked for, and kept. To be called by one thread at a time.
  static llvm::Expected<const CompiledKernel *> compiled(DeviceProgram &program, llvm::StringRef symbol,
                                                         Lowering lowering, ThreadOrder order);
};

} // namespace warpwright::vdevice
