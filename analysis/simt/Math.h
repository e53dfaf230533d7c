#pragma once

#include "analysis/simt/Code.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <optional>

namespace warpwright::simt {

/// Functions of scalars that are evaluated on the host.
enum class MathFunction : uint8_t {
  // integers
  SMax,
  SMin,
  UMax,
  UMin,
  Abs,
  CountOnes,
  LeadingZeros,
  TrailingZeros,
  ByteSwap,
  BitReverse,
  FunnelLeft,
  FunnelRight,
  UAddSat,
  USubSat,
  SAddSat,
  SSubSat,
  MulHighS,
  MulHighU,
  Permute,
  UAddOverflow,
  USubOverflow,
  UMulOverflow,
  SAddOverflow,
  SSubOverflow,
  SMulOverflow,
  // floating point, one operand
  FAbs,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Floor,
  Ceil,
  TruncF,
  Rint,
  Round,
  Exp,
  Exp2,
  Exp10,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Cbrt,
  Erf,
  Erfc,
  Gamma,
  LogGamma,
  Saturate,
  SinPi,
  CosPi,
  // two and three operands
  FMin,
  FMax,
  CopySign,
  Power,
  Atan2,
  Remainder,
  Hypot,
  Divide,
  AddF,
  MulF,
  PositiveDifference,
  Fma,
  // between the kinds
  BitCopy,
  LowWord,
  HighWord,
  JoinWords,
  ToSigned,
  ToUnsigned,
  FromSigned,
  FromUnsigned
};

struct MathEntry {
  MathFunction function;
  InstructionClass kind;
};

/// The function that an LLVM or NVVM intrinsic or a device library's function stands for, by name. Rounding
/// modes and flush-to-zero variants are one function: addresses do not hang on the last bit of a floating
/// value.
std::optional<MathEntry> findMathFunction(llvm::StringRef name);

/// Evaluates `instruction` (of Op::Math) for one lane. `operands` are the scalars of one element, `fromBits`
/// wide.
uint64_t evaluateMath(const Instruction &instruction, llvm::ArrayRef<uint64_t> operands);

/// Whether the overflow functions overflow: their second result.
bool mathOverflows(const Instruction &instruction, llvm::ArrayRef<uint64_t> operands);

/// The bits of a scalar as a number, and a number as bits, for the four floating kinds.
double toDouble(uint64_t bits, ScalarKind kind);
uint64_t fromDouble(double value, ScalarKind kind);

} // namespace warpwright::simt
