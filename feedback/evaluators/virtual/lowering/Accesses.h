#pragma once

#include "analysis/simt/Counters.h"

#include <llvm/ADT/SmallVector.h>

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace warpwright::vdevice {

/// One access that an instruction makes. `pointer` is null where it is an operand of inline PTX.
struct InstructionAccess {
  simt::AccessKind kind = simt::AccessKind::Load;
  unsigned addressSpace = 0; ///< as the instruction declares it
  unsigned bytes = 0;        ///< a lane; 0: `length` says how many
  llvm::Value *pointer = nullptr;
  llvm::Value *length = nullptr; ///< of a copy or fill of memory
};

/// The accesses of an instruction of device IR in the order in which they are made. Reads of parameters are
/// none: they lie in no memory that a kernel can harm or share.
llvm::SmallVector<InstructionAccess, 2> accessesOf(const llvm::Instruction &instruction);

} // namespace warpwright::vdevice
