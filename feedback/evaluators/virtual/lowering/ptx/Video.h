#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

namespace warpwright::vdevice::ptx {

/// The result of a video instruction: `vadd`, `vabsdiff4` and their like, on whole words or on two halves or
/// four bytes of them. Null where the form is not covered: selected parts of operands, masks, `vmad`.
llvm::Value *buildVideo(llvm::IRBuilder<> &builder, const PtxInstruction &instruction, Frame &frame);

} // namespace warpwright::vdevice::ptx
