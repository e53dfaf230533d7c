#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

namespace warpwright::vdevice {

struct LoweringState;

/// The value of a special register, named as in PTX without the percent sign ("tid.x", "lanemask_lt"), as
/// an integer of that type; null where the register is not covered. The insertion point must be in a function
/// of the user.
llvm::Value *readRegister(LoweringState &state, llvm::IRBuilderBase &builder, llvm::StringRef name,
                          llvm::Type *type);

} // namespace warpwright::vdevice
