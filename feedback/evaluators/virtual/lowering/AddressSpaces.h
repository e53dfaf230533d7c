#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// The type with every pointer in it one of the host's.
llvm::Type *withoutAddressSpaces(llvm::Type *type);

/// Makes all memory the host's: shared variables become places in the block's memory, `__device__` and
/// `__constant__` ones their addresses, and pointers lose their address space. With hooks local arrays move
/// into the thread's local memory, where a monitor knows them. An integer made of a shared pointer is an
/// offset, as on the device, and back.
void resolveAddressSpaces(LoweringState &state);

} // namespace warpwright::vdevice
