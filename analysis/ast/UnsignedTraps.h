#pragma once

#include "analysis/Place.h"

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
}

namespace warpwright {

/// A comparison that is decided by its types alone, or that takes a negative number for one near 2^32,
/// because threadIdx, blockIdx, blockDim and gridDim are unsigned.
struct UnsignedTrap {
  Place place;          ///< of the operator
  std::string what;     ///< the operand, as written
  bool isMixed = false; ///< a negative number is compared with an unsigned one; else with zero, in vain
  // Of comparisons with zero.
  bool alwaysTrue = false;
  bool endsLoop = false; ///< it is what a loop waits for
  // Of mixed ones.
  std::string other;      ///< the unsigned operand, as written
  long long negative = 0; ///< what the operand is in thread 0 of its axis
};

/// The traps in a kernel's own body. Left out: a comparison with zero of what nothing was subtracted from, or
/// that an upper bound on the same operand guards as well (the wrapped number fails that); what a template
/// parameter makes unsigned; and a mixed comparison under a condition, or of a value that is compared with
/// zero anywhere.
std::vector<UnsignedTrap> findUnsignedTraps(const clang::FunctionDecl &kernel);

} // namespace warpwright
