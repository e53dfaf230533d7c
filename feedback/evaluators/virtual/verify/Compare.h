#pragma once

#include "analysis/annotation/Shapes.h"
#include "feedback/evaluators/virtual/verify/Draw.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::vdevice {

/// Errors of one buffer over any number of comparisons. The error of a number is (got - reference) / scale
/// with scale = max(|reference|, root mean square of the reference over the buffer): a sum of centred numbers
/// would make the plain relative error meaningless. Numbers that are not finite on both sides are not part of
/// it.
class ErrorDistribution {
public:
  void add(double reference, double got, double scale);
  void append(const ErrorDistribution &other);

  uint64_t count() const { return count_; }
  double largest() const { return largest_; }
  /// Of the absolute errors, over the first 2^18 numbers; 0 without any.
  double percentile99() const;
  /// Mean error: what a constant offset leaves.
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  /// Mean of the errors with the reference's sign: what a wrong factor leaves, in centred results, too.
  double gain() const { return count_ == 0 ? 0 : signedSum_ / static_cast<double>(count_); }
  /// The one of mean() and gain() that is farther from zero.
  double bias() const;
  double deviation() const;
  /// Whether bias() exceeds the limit by more than chance: there are eight numbers or more, and it is beyond
  /// three standard errors.
  bool isBiased(double limit) const;

private:
  uint64_t count_ = 0;
  double largest_ = 0;
  double sum_ = 0;
  double signedSum_ = 0;
  double squares_ = 0;
  std::vector<float> sample_; ///< absolute errors
};

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
  ErrorDistribution errors;
};

struct CompareRequest {
  ElementShape element;             ///< not understood: bytes are compared
  llvm::ArrayRef<uint8_t> before;   ///< contents before the launch; as long as the others
  llvm::ArrayRef<uint8_t> expected; ///< the original's
  llvm::ArrayRef<uint8_t> got;
  /// A reference of higher precision for each number, in the order of elements and their parts; empty:
  /// `expected` is the reference. Exact tolerances look at `expected` alone.
  llvm::ArrayRef<double> reference;
  Tolerance tolerance;
};

/// Holds one buffer of a candidate against the original's. Any NaN equals any other: which payload an
/// operation leaves is not the kernel's to say. The bias is for the caller to judge, over many comparisons.
BufferComparison compareBuffers(const CompareRequest &request);

} // namespace warpwright::vdevice
