#include "analysis/simt/Math.h"

#include "analysis/simt/Integers.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpwright::simt {
namespace {

using F = MathFunction;
using Wide = __int128;
using UnsignedWide = unsigned __int128;

double smallFloatToDouble(const llvm::fltSemantics &semantics, uint64_t bits) {
  llvm::APFloat value(semantics, llvm::APInt(16, bits & 0xffff));
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

uint64_t doubleToSmallFloat(const llvm::fltSemantics &semantics, double number) {
  llvm::APFloat value(number);
  bool losesInfo = false;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// prmt.b32: four nibbles pick bytes of the eight in b:a, the top bit of a nibble spreads the byte's sign.
uint64_t permuteBytes(uint64_t low, uint64_t high, uint64_t selector) {
  uint64_t bytes = (high << 32) | (low & 0xffffffff);
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned nibble = selector >> (4 * i) & 15;
    uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint64_t clampSigned(Wide value, unsigned bits) {
  Wide most = static_cast<Wide>(maskOf(bits) >> 1);
  return static_cast<uint64_t>(std::clamp(value, -most - 1, most)) & maskOf(bits);
}

uint64_t evaluateInteger(F function, unsigned bits, llvm::ArrayRef<uint64_t> v) {
  uint64_t mask = maskOf(bits);
  uint64_t a = v[0];
  uint64_t b = v.size() > 1 ? v[1] : 0;
  Wide sa = asSigned(a, bits);
  Wide sb = asSigned(b, bits);
  switch (function) {
  case F::SMax:
    return sa > sb ? a : b;
  case F::SMin:
    return sa < sb ? a : b;
  case F::UMax:
    return std::max(a, b);
  case F::UMin:
    return std::min(a, b);
  case F::Abs:
    return static_cast<uint64_t>(sa < 0 ? -sa : sa) & mask;
  case F::CountOnes:
    return std::popcount(a);
  case F::LeadingZeros:
    return a ? std::countl_zero(a) - (64 - bits) : bits;
  case F::TrailingZeros:
    return a ? std::countr_zero(a) : bits;
  case F::ByteSwap:
    return llvm::byteswap(a) >> (64 - bits);
  case F::BitReverse:
    return llvm::reverseBits(a) >> (64 - bits);
  case F::FunnelLeft:
  case F::FunnelRight: {
    unsigned shift = static_cast<unsigned>(v[2] % bits);
    UnsignedWide both = (static_cast<UnsignedWide>(a) << bits) | b;
    UnsignedWide moved = function == F::FunnelLeft ? (both << shift) >> bits : both >> shift;
    return static_cast<uint64_t>(moved) & mask;
  }
  case F::UAddSat:
    return static_cast<UnsignedWide>(a) + b > mask ? mask : a + b;
  case F::USubSat:
    return a < b ? 0 : a - b;
  case F::SAddSat:
    return clampSigned(sa + sb, bits);
  case F::SSubSat:
    return clampSigned(sa - sb, bits);
  case F::MulHighS:
    return static_cast<uint64_t>((sa * sb) >> bits) & mask;
  case F::MulHighU:
    return static_cast<uint64_t>((static_cast<UnsignedWide>(a) * b) >> bits) & mask;
  case F::Permute:
    return permuteBytes(a, b, v[2]);
  case F::UAddOverflow:
  case F::SAddOverflow:
    return (a + b) & mask;
  case F::USubOverflow:
  case F::SSubOverflow:
    return (a - b) & mask;
  case F::UMulOverflow:
  case F::SMulOverflow:
    return (a * b) & mask;
  case F::BitCopy:
    return a;
  case F::LowWord:
    return a & 0xffffffff;
  case F::HighWord:
    return a >> 32;
  default:
    return 0;
  }
}

double evaluateUnary(F function, double x) {
  constexpr double pi = 3.14159265358979323846;
  switch (function) {
  case F::FAbs:
    return std::fabs(x);
  case F::Sqrt:
    return std::sqrt(x);
  case F::Rsqrt:
    return 1 / std::sqrt(x);
  case F::Reciprocal:
    return 1 / x;
  case F::Floor:
    return std::floor(x);
  case F::Ceil:
    return std::ceil(x);
  case F::TruncF:
    return std::trunc(x);
  case F::Rint:
    return std::nearbyint(x);
  case F::Round:
    return std::round(x);
  case F::Exp:
    return std::exp(x);
  case F::Exp2:
    return std::exp2(x);
  case F::Exp10:
    return std::pow(10.0, x);
  case F::Expm1:
    return std::expm1(x);
  case F::Log:
    return std::log(x);
  case F::Log2:
    return std::log2(x);
  case F::Log10:
    return std::log10(x);
  case F::Log1p:
    return std::log1p(x);
  case F::Sin:
    return std::sin(x);
  case F::Cos:
    return std::cos(x);
  case F::Tan:
    return std::tan(x);
  case F::Asin:
    return std::asin(x);
  case F::Acos:
    return std::acos(x);
  case F::Atan:
    return std::atan(x);
  case F::Sinh:
    return std::sinh(x);
  case F::Cosh:
    return std::cosh(x);
  case F::Tanh:
    return std::tanh(x);
  case F::Asinh:
    return std::asinh(x);
  case F::Acosh:
    return std::acosh(x);
  case F::Atanh:
    return std::atanh(x);
  case F::Cbrt:
    return std::cbrt(x);
  case F::Erf:
    return std::erf(x);
  case F::Erfc:
    return std::erfc(x);
  case F::Gamma:
    return std::tgamma(x);
  case F::LogGamma:
    return std::lgamma(x);
  case F::Saturate:
    return std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
  case F::SinPi:
    return std::sin(pi * x);
  case F::CosPi:
    return std::cos(pi * x);
  default:
    return 0;
  }
}

double evaluateFloat(F function, double x, double y, double z) {
  switch (function) {
  case F::FMin:
    return std::fmin(x, y);
  case F::FMax:
    return std::fmax(x, y);
  case F::CopySign:
    return std::copysign(x, y);
  case F::Power:
    return std::pow(x, y);
  case F::Atan2:
    return std::atan2(x, y);
  case F::Remainder:
    return std::fmod(x, y);
  case F::Hypot:
    return std::hypot(x, y);
  case F::Divide:
    return x / y;
  case F::AddF:
    return x + y;
  case F::MulF:
    return x * y;
  case F::PositiveDifference:
    return std::fdim(x, y);
  case F::Fma:
    return std::fma(x, y, z);
  default:
    return evaluateUnary(function, x);
  }
}

/// Float to integer as the hardware does it: towards zero here, out of range clamped, not a number is zero.
uint64_t toInteger(double value, unsigned bits, bool isSigned) {
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  double limit = std::ldexp(1.0, static_cast<int>(isSigned ? bits - 1 : bits));
  if (value >= limit)
    return isSigned ? maskOf(bits) >> 1 : maskOf(bits);
  if (isSigned)
    return static_cast<uint64_t>(value < -limit ? asSigned(uint64_t(1) << (bits - 1), bits)
                                                : static_cast<int64_t>(value)) &
           maskOf(bits);
  return value <= 0 ? 0 : static_cast<uint64_t>(value);
}

} // namespace

double toDouble(uint64_t bits, ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Half:
    return smallFloatToDouble(llvm::APFloat::IEEEhalf(), bits);
  case ScalarKind::BFloat:
    return std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
  case ScalarKind::Float:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case ScalarKind::Double:
    return std::bit_cast<double>(bits);
  case ScalarKind::Integer:
    break;
  }
  return static_cast<double>(bits);
}

uint64_t fromDouble(double value, ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Half:
    return doubleToSmallFloat(llvm::APFloat::IEEEhalf(), value);
  case ScalarKind::BFloat:
    return doubleToSmallFloat(llvm::APFloat::BFloat(), value);
  case ScalarKind::Float:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  case ScalarKind::Double:
    return std::bit_cast<uint64_t>(value);
  case ScalarKind::Integer:
    break;
  }
  return toInteger(value, 64, true);
}

uint64_t evaluateMath(const Instruction &instruction, llvm::ArrayRef<uint64_t> operands) {
  F function = static_cast<F>(instruction.detail);
  switch (function) {
  case F::ToSigned:
  case F::ToUnsigned:
    return toInteger(toDouble(operands[0], instruction.fromScalar), instruction.bits,
                     function == F::ToSigned);
  case F::FromSigned:
    return fromDouble(static_cast<double>(asSigned(operands[0], instruction.fromBits)), instruction.scalar);
  case F::FromUnsigned:
    return fromDouble(static_cast<double>(operands[0]), instruction.scalar);
  case F::JoinWords:
    return (operands[1] << 32) | (operands[0] & 0xffffffff);
  default:
    break;
  }
  // "min", "max" and "abs" name integer and floating functions alike; the type of the call decides.
  if (instruction.scalar == ScalarKind::Integer || function == F::BitCopy)
    return evaluateInteger(function, instruction.bits ? std::max(instruction.bits, instruction.fromBits) : 64,
                           operands);
  if (function == F::SMax || function == F::UMax)
    function = F::FMax;
  if (function == F::SMin || function == F::UMin)
    function = F::FMin;
  if (function == F::Abs)
    function = F::FAbs;
  double x = toDouble(operands[0], instruction.scalar);
  double y = operands.size() > 1 ? toDouble(operands[1], instruction.scalar) : 0;
  double z = operands.size() > 2 ? toDouble(operands[2], instruction.scalar) : 0;
  return fromDouble(evaluateFloat(function, x, y, z), instruction.scalar);
}

bool mathOverflows(const Instruction &instruction, llvm::ArrayRef<uint64_t> operands) {
  unsigned bits = instruction.fromBits;
  UnsignedWide a = operands[0];
  UnsignedWide b = operands[1];
  Wide sa = asSigned(operands[0], bits);
  Wide sb = asSigned(operands[1], bits);
  auto outside = [&](Wide value) {
    return value != asSigned(static_cast<uint64_t>(value) & maskOf(bits), bits);
  };
  switch (static_cast<F>(instruction.detail)) {
  case F::UAddOverflow:
    return a + b > maskOf(bits);
  case F::USubOverflow:
    return a < b;
  case F::UMulOverflow:
    return a * b > maskOf(bits);
  case F::SAddOverflow:
    return outside(sa + sb);
  case F::SSubOverflow:
    return outside(sa - sb);
  case F::SMulOverflow:
    return outside(sa * sb);
  default:
    return false;
  }
}

} // namespace warpwright::simt
