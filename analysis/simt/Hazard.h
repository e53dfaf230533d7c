#pragma once

#include "analysis/simt/Lanes.h"

#include <cstdint>

namespace llvm {
class Instruction;
}

namespace warpwright::simt {

/// What goes wrong when a launch runs: between threads of a block, or in the arithmetic of an index. Each was
/// seen to happen, in one warp of one block, on a way that no data decides.
struct Hazard {
  enum class Kind {
    DivergentBarrier, ///< lanes of a warp are at a block's barrier that others of the warp go round
    UnequalBarriers,  ///< whole warps of the block go round it
    AbsentLanes,      ///< an exchange's mask names lanes of the warp that do not take part
    OutsideMask,      ///< lanes take part that the mask does not name
    SharedRace,       ///< one warp reads shared memory that another writes, and no barrier stands between
    SignedOverflow,   ///< the index is more than 31 bits hold
    UnsignedOverflow, ///< more than 32 bits
    UnsignedUnderflow ///< a difference of unsigned numbers below zero is widened, to about 2^32
  };
  Kind kind = Kind::DivergentBarrier;
  const llvm::Instruction *instruction = nullptr; ///< barrier, exchange, read, or the arithmetic
  const llvm::Instruction *other = nullptr;       ///< of a race, the write
  LaneMask here = 0;                              ///< of the warp, lanes that run the instruction
  LaneMask named = 0;                             ///< by the mask; of a barrier, lanes that have not ended
  uint64_t thread = 0;                            ///< linear in its block: one of those that it happened to
  uint64_t otherThread = 0;                       ///< of a race, who writes
  bool writeLast = false;      ///< of a race: the write comes behind the read in the code's order
  int64_t left = 0, right = 0; ///< operands of the arithmetic
  bool product = false;        ///< of the arithmetic: a product, else a sum or difference
};

} // namespace warpwright::simt
