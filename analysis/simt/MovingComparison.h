#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace warpwright::simt {

/// A comparison of two numbers that move in steps.
struct MovingComparison {
  llvm::CmpInst::Predicate predicate;
  unsigned bits = 0; ///< of the numbers; their signs are the predicate's business
  __int128 a = 0, b = 0;
  __int128 stepA = 0, stepB = 0;

  /// The outcome is what it is now after `steps` more (or, below zero, was before as many), at every step
  /// between, and no number leaves its range.
  bool staysAt(int64_t steps) const;
  /// How many steps it surely stays; `most` where it never changes.
  uint64_t stepsUnchanged(uint64_t most) const;

  /// The number `value` alone: "unchanged" means that it stays within its bits.
  static MovingComparison withItsRange(bool isSigned, unsigned bits, __int128 value, __int128 step);
};

/// A register's bits as the number that the predicate compares.
__int128 comparedNumber(uint64_t raw, unsigned bits, llvm::CmpInst::Predicate predicate);

} // namespace warpwright::simt
