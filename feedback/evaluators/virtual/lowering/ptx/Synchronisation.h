#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

namespace warpwright::vdevice::ptx {

/// Builds a barrier, a fence, a collective of a warp, or what ends a thread. `origin` says where it stands in
/// the source. False where the form is not covered.
bool buildSynchronisation(LoweringState &state, llvm::IRBuilder<> &builder, const llvm::Instruction &origin,
                          const PtxInstruction &instruction, Frame &frame);

} // namespace warpwright::vdevice::ptx
