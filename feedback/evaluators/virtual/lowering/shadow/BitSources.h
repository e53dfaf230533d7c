#pragma once

#include <llvm/ADT/SmallVector.h>

namespace llvm {
class LoadInst;
class Value;
} // namespace llvm

namespace warpwright::vdevice {

/// What an integer was made of, as far as numbers may be in it.
struct BitSources {
  bool fromNumber = false;                   ///< the bits of a floating value
  llvm::SmallVector<llvm::LoadInst *> loads; ///< of integers from memory, which may hold some
};

/// Follows arithmetic, casts and moves backwards. Comparisons end it: what is decided is the kernel's own.
BitSources findBitSources(llvm::Value &integer);

} // namespace warpwright::vdevice
