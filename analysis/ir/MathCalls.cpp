#include "analysis/ir/MathCalls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>

namespace warpwright {
namespace {

/// Starts of intrinsic names that compute on registers alone, after `llvm.` and `llvm.nvvm.`.
constexpr llvm::StringLiteral intrinsics[] = {
    "abs.", "bitreverse", "bswap",     "ceil",  "copysign", "cos",   "ctlz", "ctpop",       "cttz",
    "exp",  "fabs",       "floor",     "fma",   "fmuladd",  "fshl",  "fshr", "ldexp",       "log",
    "max",  "min",        "nearbyint", "pow",   "rint",     "round", "sadd", "sin",         "smax",
    "smin", "sqrt",       "tanh",      "trunc", "uadd",     "umax",  "umin", "canonicalize"};
constexpr llvm::StringLiteral targetIntrinsics[] = {
    "add.",  "brev",   "ceil.",  "clz",  "cos.",   "d2",     "div.", "ex2.",     "f2",
    "fabs",  "floor.", "fma",    "fmax", "fmin",   "i2",     "lg2.", "lohi.",    "mul",
    "mulhi", "popc",   "prmt",   "rcp.", "round.", "rsqrt.", "sad.", "saturate", "sin.",
    "sqrt.", "tanh.",  "trunc.", "ui2",  "ull2",   "ll2",    "bf2h", "ff2",      "idp"};

/// Starts of names that are a few plain instructions.
constexpr llvm::StringLiteral cheap[] = {"abs",          "brev",
                                         "byte_perm",    "ceil",
                                         "clz",          "copysign",
                                         "fabs",         "fadd",
                                         "fdim",         "ffs",
                                         "finite",       "floor",
                                         "fma",          "fmax",
                                         "fmin",         "fmul",
                                         "fsub",         "isfinite",
                                         "isinf",        "isnan",
                                         "ldexp",        "llabs",
                                         "llmax",        "llmin",
                                         "max",          "min",
                                         "mul24",        "mulhi",
                                         "mul64hi",      "nearbyint",
                                         "popc",         "rint",
                                         "round",        "sad",
                                         "saturate",     "scalbn",
                                         "signbit",      "trunc",
                                         "uhadd",        "umax",
                                         "umin",         "umul24",
                                         "umulhi",       "urhadd",
                                         "usad",         "hadd",
                                         "rhadd",        "ullmax",
                                         "ullmin",       "ctpop",
                                         "ctlz",         "cttz",
                                         "bitreverse",   "bswap",
                                         "fshl",         "fshr",
                                         "smax",         "smin",
                                         "add",          "mul",
                                         "prmt",         "canonicalize",
                                         "sadd",         "uadd",
                                         "idp",          "nan",
                                         "dadd",         "dmul",
                                         "dsub",         "int_as",
                                         "float_as",     "double_as",
                                         "longlong_as",  "hiloint2double",
                                         "double2hiint", "double2loint",
                                         "llrint",       "llround",
                                         "lrint",        "lround",
                                         "logb",         "ilogb",
                                         "lohi"};

bool beginsWithAny(llvm::StringRef name, llvm::ArrayRef<llvm::StringLiteral> starts) {
  return llvm::any_of(starts, [&](llvm::StringRef start) { return name.starts_with(start); });
}

} // namespace

std::string mathName(const llvm::CallBase &call) {
  llvm::StringRef name = call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
  if (name.consume_front("__nv_"))
    return name.str();
  if (!name.consume_front("llvm."))
    return {};
  bool ofTarget = name.consume_front("nvvm.");
  if (!(ofTarget ? beginsWithAny(name, targetIntrinsics) : beginsWithAny(name, intrinsics)))
    return {};
  if (ofTarget)
    return name.str();
  return name.split('.').first.str();
}

bool isConversion(llvm::StringRef mathName) {
  static constexpr llvm::StringLiteral sources[] = {
      "float2", "double2", "int2", "uint2", "ll2", "ull2", "half2", "d2", "f2", "i2", "ui2", "bf2h", "ff2"};
  return beginsWithAny(mathName, sources) && !mathName.starts_with("double2hiint") &&
         !mathName.starts_with("double2loint");
}

bool isSpecialFunction(llvm::StringRef mathName) {
  return !mathName.empty() && !isConversion(mathName) && !beginsWithAny(mathName, cheap);
}

bool isApproximate(llvm::StringRef mathName) {
  return mathName.starts_with("fast_") || mathName.contains(".approx");
}

} // namespace warpwright
