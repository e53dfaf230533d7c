#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// How the shadow of a call of libdevice is made.
struct LibraryRule {
  enum class Kind {
    Unknown,
    Sibling,   ///< `name` is the function of double with the same meaning
    Operation, ///< `name` is an operation of ArithmeticBuilder::rounded()
    Original,  ///< discrete, like rounding to an integer: the kernel's own result
    Identity,  ///< of the operand
    Remainder, ///< with the kernel's own quotient
    Lesser,    ///< one of the operands: which one, the kernel's own result says
    FromSigned,
    FromUnsigned,
    Bits ///< the operand is the number's bits
  };
  Kind kind = Kind::Unknown;
  std::string name;
};

/// For a function `__nv_...` that returns a number or writes some.
LibraryRule findLibraryRule(llvm::StringRef name);

/// Declares, for each function of libdevice that the module calls, the one of double that its shadow calls.
/// Before the library is linked.
void declareDoubleSiblings(LoweringState &state);

} // namespace warpwright::vdevice
