#pragma once

#include "analysis/KernelAnalysis.h"

#include <llvm/IR/Instructions.h>

#include <string>
#include <vector>

namespace warpwright {

/// A block barrier that orders nothing: no access before it can meet one of another thread after it, up to
/// the neighbouring barriers on every way. Everything that is not understood (unknown calls, inline PTX,
/// fences, volatile and atomic accesses, asynchronous copies) counts as meeting all.
struct IdleBarrier {
  const llvm::Instruction *barrier = nullptr;
  Place place;               ///< as facts spell it
  size_t accessesBefore = 0; ///< in the device code, up to the neighbouring barriers
  size_t accessesAfter = 0;
  std::vector<Place> neighboursBefore, neighboursAfter;
  std::vector<std::string> assumptions; ///< what it rests on beyond the code
};

/// In program order. Two neighbours may each be idle while the other stands: of such a pair only the first is
/// listed, so that all of them may go together. Barriers that exist several times in the device code, because
/// a loop was unrolled or a function inlined, are left out.
std::vector<IdleBarrier> findIdleBarriers(const KernelAnalysis &analysis);

} // namespace warpwright
