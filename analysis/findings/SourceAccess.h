#pragma once

#include "analysis/KernelAnalysis.h"

#include <string>
#include <vector>

namespace warpwright {

/// What all instructions that stand for one access of the source cost together: the copies that unrolling
/// made of it are one access to the reader, and one finding.
struct SourceAccess {
  Place place; ///< the innermost the user wrote, else the kernel's
  simt::AccessKind kind = simt::AccessKind::Load;
  simt::AccessSpace space = simt::AccessSpace::Global;
  unsigned bytesPerLane = 0; ///< of its widest instruction
  simt::AccessTally tally;
  simt::CountGrade grade = simt::CountGrade::Exact; ///< the weakest
  const MemoryAccess *fact = nullptr;               ///< the symbolic side; null where no fact has that place
  bool blockIsGuessed = false; ///< neither annotation nor a launch in the file says how threads are arranged

  double perRequest(uint64_t sum) const { return double(sum) / double(tally.requests); }
  /// "load of 'in'", "store to global memory".
  std::string describe() const;
  /// The addresses were counted from what the code and the launch say, not from what zero-filled buffers
  /// hold.
  bool addressIsCounted() const;
  /// `sure`, less where the launch was supposed or the count rests on data. Which lanes make up a warp
  /// decides what its requests touch: where the block is a guess, so is the count.
  double confidence(double sure, const LaunchEvaluation &evaluation) const;
};

/// The accesses of a launch that ran at least once, in program order.
std::vector<SourceAccess> sourceAccesses(const KernelAnalysis &analysis, const LaunchEvaluation &evaluation);

/// Where the user wrote what became the instruction: the innermost frame outside of toolkit headers, else the
/// kernel.
Place userPlace(const KernelAnalysis &analysis, const llvm::Instruction &instruction);

/// The place as the kernel's own file is spelled: facts carry whole paths.
Place spelled(const KernelAnalysis &analysis, const Place &place);

/// `sure`, less where the launch was supposed or the count was sampled or rests on data.
double confidenceOf(double sure, const LaunchEvaluation &evaluation, simt::CountGrade grade);

/// "a" quoted for a message: a parameter or variable of the source; "memory" where the object is not known.
std::string objectName(const MemoryAccess &access);

/// 12.5 as "12.5", 8.0 as "8".
std::string shortNumber(double number);

} // namespace warpwright
