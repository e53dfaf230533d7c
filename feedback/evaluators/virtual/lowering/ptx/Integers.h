#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

namespace warpwright::vdevice::ptx {

/// The result of an instruction that computes with integers; null where the form is not covered.
llvm::Value *buildInteger(LoweringState &state, llvm::IRBuilder<> &builder, const PtxInstruction &instruction,
                          Frame &frame);

} // namespace warpwright::vdevice::ptx
