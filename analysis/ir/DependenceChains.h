#pragma once

#include "analysis/ir/KernelView.h"

#include <llvm/ADT/SetVector.h>

namespace warpwright {

/// The instructions on the ways from a value at a loop's head round to its next version.
using CycleMembers = llvm::SmallSetVector<const llvm::Instruction *, 8>;

/// The longest way from `phi` round `loop` to its next version, in operations; none when nothing is computed
/// on it or the loop has several latches.
std::optional<DependenceChain> chainThrough(const KernelView &view, const llvm::PHINode &phi,
                                            const llvm::Loop &loop, const CycleMembers &members);

} // namespace warpwright
