#pragma once

#include "feedback/evaluators/virtual/DeviceProgram.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/Error.h>

namespace llvm {
class GlobalVariable;
}

namespace warpwright::vdevice {

/// Fills `initialValue` and `references` from the variable's initialiser; a variable without one, or an
/// undefined one, is filled with zero. Error: a value that has no bytes, such as the address of a function.
llvm::Error readInitialValue(const llvm::GlobalVariable &variable,
                             const llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> &variableOf,
                             DeviceVariable &description);

} // namespace warpwright::vdevice
