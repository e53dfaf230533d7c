#pragma once

#include "analysis/simt/Counters.h"

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace warpwright::simt {

/// One memory instruction inside an inline PTX string.
struct AsmAccess {
  AccessKind kind = AccessKind::Load;
  unsigned addressSpace = 0;  ///< as in NVPTX
  unsigned bytes = 0;         ///< a lane, all elements of a vector together
  unsigned operand = 0;       ///< the `$n` that holds the address
  int64_t offset = 0;         ///< added to it
  unsigned addressLanes = 32; ///< lanes whose address is used; ldmatrix takes 8 a matrix
};

/// What an inline PTX string does as far as counting goes.
struct AsmEffects {
  std::vector<AsmAccess> accesses;
  bool isBarrier = false;
  bool yieldsTrue = false;    ///< results are taken as one: waits that are over
  bool castsToShared = false; ///< the result is the operand's offset in shared memory
  std::string unknown; ///< why something that may touch memory was not understood; empty if nothing was
};

/// What becomes of an access that a predicate of the text guards: it is `unknown`, or listed like the others.
enum class GuardedAccesses { Unknown, Listed };

/// Reads the known forms of loads, stores, reductions, asynchronous copies, ldmatrix and barriers. Arithmetic
/// is of no interest, prefetches cost no request; anything else that names memory is `unknown`.
AsmEffects readInlineAsm(llvm::StringRef text, GuardedAccesses guarded = GuardedAccesses::Unknown);

} // namespace warpwright::simt
