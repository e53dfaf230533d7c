#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>

#include <string>

namespace warpwright {

/// The mathematical function a call computes, "expf", "sqrt", "fmaxf": of the device library or an intrinsic.
/// Empty when the call is none: then it may do anything.
std::string mathName(const llvm::CallBase &call);

/// A function that takes the special-function units or a subroutine of many instructions, as `exp`, `sin`,
/// `pow` do and `fabs`, `floor`, `fma` do not.
bool isSpecialFunction(llvm::StringRef mathName);

/// The fast, less exact form: `__expf`, `ex2.approx`.
bool isApproximate(llvm::StringRef mathName);

/// `float2int_rn`, `double2float_rn`, ...: a conversion spelled as a call.
bool isConversion(llvm::StringRef mathName);

} // namespace warpwright
