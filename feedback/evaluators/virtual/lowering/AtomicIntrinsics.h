#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class CallInst;
}

namespace warpwright::vdevice {

struct LoweringState;

/// Lowers the call of an atomic intrinsic of NVVM ("llvm.nvvm." taken off its name) to the host's. False if
/// it is none, or a form that is not covered.
bool lowerAtomicIntrinsic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name);

} // namespace warpwright::vdevice
