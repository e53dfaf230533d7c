#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// A copy of the whole module in a context of its own.
llvm::Expected<std::unique_ptr<llvm::Module>> cloneModule(const llvm::Module &source,
                                                          llvm::LLVMContext &context);

/// Fills the state's maps for the copy `state.module` of `source`, numbers its memory instructions, and drops
/// debug information and all that the kernel does not reach.
void adoptClone(LoweringState &state, const llvm::Module &source);

} // namespace warpwright::vdevice
