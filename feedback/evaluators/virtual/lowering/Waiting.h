#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace warpwright::vdevice {

struct LoweringState;

/// The name of the runtime's function that the instruction calls, without "warpwright."; empty for others.
llvm::StringRef runtimeName(const llvm::Instruction &instruction);

/// Whether the thread may have to let others run there, or ends.
bool waits(const llvm::Instruction &instruction);
bool waitsOrEnds(const llvm::Instruction &instruction);

/// Inlines every call in `function` of a function of the user. False where one is left, which may wait:
/// recursion, and calls through pointers.
bool inlineWaiting(LoweringState &state, llvm::Function &function);

} // namespace warpwright::vdevice
