#include "analysis/arch/Latency.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

constexpr OperationCost simple = {4, 1};
constexpr OperationCost unknown = {0, 1};

OperationCost costOfDouble(llvm::StringRef operation) {
  return llvm::StringSwitch<OperationCost>(operation)
      .Cases({"fadd", "fsub", "fmul", "fma", "fmuladd", "fneg"}, {8, 1})
      .Case("fdiv", {111, 20})
      .StartsWith("sqrt", {79, 20})
      .Default(unknown);
}

OperationCost costOfFloat(llvm::StringRef operation) {
  return llvm::StringSwitch<OperationCost>(operation)
      .Cases({"fadd", "fsub", "fmul", "fma", "fmuladd", "fmaf"}, simple)
      .Cases({"fmin", "fmax", "minnum", "maxnum", "minimumnum", "maximumnum"}, simple)
      .Case("fdiv", {44, 10})
      .StartsWith("sqrt", {43, 8})
      .StartsWith("rsqrt", {17, 2})
      .StartsWith("exp", {17, 4})
      .StartsWith("fast_exp", {17, 2})
      .StartsWith("log", {17, 6})
      .StartsWith("fast_log", {17, 2})
      .StartsWith("sin", {17, 6})
      .StartsWith("cos", {17, 6})
      .StartsWith("tanh", {17, 6})
      .Default(unknown);
}

OperationCost costOfInteger(llvm::StringRef operation, bool wide) {
  return llvm::StringSwitch<OperationCost>(operation)
      .Cases({"add", "sub", "and", "or", "xor", "shl"}, {4, wide ? 2u : 1u})
      .Cases({"lshr", "ashr"}, {4, wide ? 2u : 1u})
      .Case("mul", wide ? OperationCost{14, 4} : simple)
      .Cases({"smin", "smax", "umin", "umax"}, {4, wide ? 3u : 1u})
      .Cases({"udiv", "sdiv", "urem", "srem"}, wide ? OperationCost{306, 100} : OperationCost{130, 20})
      .Default(unknown);
}

} // namespace

OperationCost costOf(llvm::StringRef operation) {
  if (operation.starts_with("load"))
    return llvm::StringSwitch<OperationCost>(operation)
        .Case("load.shared", {23, 1})
        .Cases({"load.global", "load.local", "load"}, {33, 1}) // from L1: the least that it can be
        .Default(unknown);
  if (operation.consume_back(".f64"))
    return costOfDouble(operation);
  bool wide = operation.consume_back(".i64");
  OperationCost cost = costOfInteger(operation, wide);
  return cost.latency || wide ? cost : costOfFloat(operation);
}

bool latenciesMeasured(const Architecture &architecture) {
  return architecture.major == 9 && architecture.minor == 0;
}

} // namespace warpwright
