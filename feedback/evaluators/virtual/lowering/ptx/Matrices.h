#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

namespace warpwright::vdevice::ptx {

/// Builds `ldmatrix`, `stmatrix`, `movmatrix` and `mma`. `site` is the number of the next access. False where
/// the form is not covered.
bool buildMatrices(LoweringState &state, llvm::IRBuilder<> &builder, llvm::CallInst &origin,
                   const PtxInstruction &instruction, Frame &frame, uint32_t &site);

} // namespace warpwright::vdevice::ptx
