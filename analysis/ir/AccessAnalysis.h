#pragma once

#include "analysis/ir/SymbolicValues.h"

#include <llvm/ADT/DenseMap.h>

namespace warpwright {

/// The accesses of a kernel and the instructions they belong to.
struct AccessList {
  std::vector<MemoryAccess> accesses;
  llvm::DenseMap<const llvm::Instruction *, llvm::SmallVector<unsigned, 2>> ofInstruction;
};

/// Every read, write and atomic of memory in program order: loads and stores, atomics, block copies, the
/// NVPTX intrinsics that touch memory and inline PTX of the known forms. Scalars read from the kernel's
/// parameters are none: they cost nothing.
AccessList analyseAccesses(SymbolicValues &values);

/// One access of an instruction before its address is analysed.
struct RawAccess {
  const llvm::Instruction *instruction = nullptr;
  const llvm::Value *pointer = nullptr;
  int64_t displacement = 0;                 ///< bytes added to the pointer
  bool pointerIsInteger = false;            ///< the address is an integer operand of inline PTX
  MemorySpace space = MemorySpace::Generic; ///< that the instruction names; Generic: see the pointer
  AccessKind kind = AccessKind::Read;
  CombineKind combine = CombineKind::None;
  bool resultUsed = false;
  unsigned bytes = 0;
  unsigned alignment = 1;
  std::string elementType;
  bool isVolatile = false;
  CacheHint cacheHint;
  std::string name; ///< MemoryAccess::instruction
};

/// The accesses one instruction makes, without looking at addresses.
llvm::SmallVector<RawAccess, 2> rawAccesses(const llvm::Instruction &instruction,
                                            const llvm::DataLayout &layout);
/// The same for a call of inline assembly; `known` turns false when some part of its text is not understood.
llvm::SmallVector<RawAccess, 2> assemblyAccesses(const llvm::CallBase &call, bool &known);
/// And for an NVPTX intrinsic.
llvm::SmallVector<RawAccess, 2> intrinsicAccesses(const llvm::CallBase &call, const llvm::DataLayout &layout);

/// `add`, `exch`, `cas` as PTX and its intrinsics name what an atomic does; None for any other word.
CombineKind combineNamed(llvm::StringRef name);

std::string typeText(const llvm::Type *type);

} // namespace warpwright
