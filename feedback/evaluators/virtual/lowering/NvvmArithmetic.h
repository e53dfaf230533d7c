#pragma once

namespace llvm {
class CallInst;
class StringRef;
class Value;
} // namespace llvm

namespace warpwright::vdevice {

struct LoweringState;

/// The value of an intrinsic that computes from its operands alone ("llvm.nvvm." taken off its name); null if
/// it is none of these, or a form that is not covered.
llvm::Value *buildNvvmArithmetic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name);

} // namespace warpwright::vdevice
