#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

namespace warpwright::vdevice::ptx {

/// Builds a load, a store, an atomic or an asynchronous copy, and numbers its accesses from `site` on, which
/// it advances. False where the form is not covered.
bool buildMemory(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                 Frame &frame, uint32_t &site);

} // namespace warpwright::vdevice::ptx
