#pragma once

#include "analysis/annotation/Shapes.h"
#include "feedback/evaluators/values/ErrorDistribution.h"
#include "feedback/evaluators/virtual/verify/Draw.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <string>

namespace warpwright::vdevice {

/// How the contents of one buffer differ; the gravest first.
enum class Difference {
  None,
  Unwritten,  ///< the first bad number was left as it was before the launch
  WroteMore,  ///< the first bad number is one that the original leaves alone
  NotANumber, ///< NaN or infinity on one side alone, or infinities of different sign
  Bits,       ///< under an exact tolerance
  ZeroSign,   ///< as Bits, and the first bad number is a zero of the other sign
  Error       ///< beyond the tolerance
};

struct BufferComparison {
  Difference difference = Difference::None;
  uint64_t firstBad = 0;     ///< element
  uint64_t firstBadByte = 0; ///< of its number, from the start of the buffer
  uint64_t bad = 0;          ///< numbers that differ too much
  std::string expected;      ///< of the first bad number
  std::string got;
  double error = 0; ///< of the first bad number; 0 where there is none
  /// Against the reference; the original's own are all 0 where it is the reference.
  values::ErrorDistribution errors;
  values::ErrorDistribution originalErrors;
};

struct CompareRequest {
  ElementShape element;             ///< not understood: bytes are compared
  llvm::ArrayRef<uint8_t> before;   ///< contents before the launch; as long as the others
  llvm::ArrayRef<uint8_t> expected; ///< the original's
  llvm::ArrayRef<uint8_t> got;
  /// What each number would be in higher precision, in the order of elements and their parts; empty:
  /// `expected` is the reference. Exact tolerances look at `expected` alone.
  llvm::ArrayRef<double> reference;
  Tolerance tolerance;
};

/// Holds one buffer of a candidate against the original's. Any NaN equals any other: which payload an
/// operation leaves is not the kernel's to say. Without exactness a number is right that is within the
/// tolerance of the reference, or of the original, or that is no farther from the reference than the original
/// is: nobody is declined for being more accurate. The bias is for the caller to judge, over many
/// comparisons.
BufferComparison compareBuffers(const CompareRequest &request);

} // namespace warpwright::vdevice
