#pragma once

#include "analysis/simt/Code.h"

#include <llvm/ADT/SmallVector.h>

namespace llvm {
class Constant;
class DataLayout;
class Type;
} // namespace llvm

namespace warpwright::simt {

/// One scalar of a flattened value.
struct ScalarShape {
  ScalarKind kind = ScalarKind::Integer;
  uint16_t bits = 0;   ///< pointers are integers of 64 bits
  uint32_t offset = 0; ///< in memory, from the start of the whole value
  unsigned slots() const { return bits > 64 ? 2 : 1; }
};

/// The scalars of a type in order. False for what has no such form: integers above 128 bits, packed vectors
/// of odd widths, scalable vectors, target types.
bool flattenType(llvm::Type *type, const llvm::DataLayout &layout,
                 llvm::SmallVectorImpl<ScalarShape> &scalars, uint32_t offset = 0);

/// Slots that the scalars take.
unsigned slotsOf(llvm::ArrayRef<ScalarShape> scalars);

/// Appends the value of a constant, one slot a scalar (two above 64 bits), uniform over the lanes. What is
/// undefined or not understood is a tainted zero.
void appendConstant(const llvm::Constant *constant, const llvm::DataLayout &layout, const MemoryMap &map,
                    std::vector<Slot> &slots);

} // namespace warpwright::simt
