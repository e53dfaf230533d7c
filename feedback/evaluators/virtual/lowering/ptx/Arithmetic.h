#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

namespace warpwright::vdevice::ptx {

/// Builds one arithmetic instruction of PTX and sets what it writes. False where the form is not covered.
bool buildArithmetic(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                     Frame &frame, llvm::Value *guard);

} // namespace warpwright::vdevice::ptx
