#pragma once

#include "feedback/evaluators/virtual/execution/CompiledKernel.h"
#include "feedback/evaluators/virtual/lowering/Lower.h"

namespace warpwright::vdevice {

/// The machine that this process runs on, with floating point left as it is written.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine();

llvm::Expected<CompiledKernel> compileKernel(LoweredKernel kernel);

} // namespace warpwright::vdevice
