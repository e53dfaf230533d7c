#include "analysis/simt/Arithmetic.h"

#include "analysis/simt/Integers.h"
#include "analysis/simt/Math.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/Support/MathExtras.h>

#include <cmath>

namespace warpwright::simt {
namespace {

using Predicate = llvm::CmpInst::Predicate;

/// Writes f(a, b) for the lanes of the mask; the result's taint is that of either operand.
template <typename Function>
void zip(const Slot &left, const Slot &right, Slot &result, LaneMask mask, Function function) {
  LaneMask taint = left.taint | right.taint;
  forEachLane(mask, [&](unsigned lane) { result.lane[lane] = function(left.lane[lane], right.lane[lane]); });
  setTaint(result, mask, taint);
}

template <typename Function> void apply(const Slot &operand, Slot &result, LaneMask mask, Function function) {
  LaneMask taint = operand.taint;
  forEachLane(mask, [&](unsigned lane) { result.lane[lane] = function(operand.lane[lane]); });
  setTaint(result, mask, taint);
}

/// Lanes whose right operand makes the operation undefined.
template <typename Test> LaneMask lanesWhere(const Slot &slot, LaneMask mask, Test test) {
  LaneMask lanes = 0;
  forEachLane(mask, [&](unsigned lane) { lanes |= LaneMask(test(slot.lane[lane])) << lane; });
  return lanes;
}

void divide(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result,
            LaneMask mask) {
  unsigned bits = instruction.bits;
  uint64_t limit = maskOf(bits);
  LaneMask undefined = lanesWhere(right, mask, [](uint64_t divisor) { return divisor == 0; });
  // In 128 bits the smallest number divided by minus one does not trap.
  zip(left, right, result, mask, [&](uint64_t a, uint64_t b) -> uint64_t {
    if (b == 0)
      return 0;
    switch (instruction.op) {
    case Op::UDiv:
      return a / b;
    case Op::URem:
      return a % b;
    case Op::SDiv:
      return static_cast<uint64_t>(static_cast<__int128>(asSigned(a, bits)) / asSigned(b, bits)) & limit;
    default:
      return static_cast<uint64_t>(static_cast<__int128>(asSigned(a, bits)) % asSigned(b, bits)) & limit;
    }
  });
  result.taint |= undefined;
}

void shift(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result, LaneMask mask) {
  unsigned bits = instruction.bits;
  uint64_t limit = maskOf(bits);
  LaneMask undefined = lanesWhere(right, mask, [&](uint64_t amount) { return amount >= bits; });
  if (undefined) {
    zip(left, right, result, mask, [&](uint64_t a, uint64_t b) -> uint64_t {
      if (b >= bits)
        return 0;
      if (instruction.op == Op::Shl)
        return (a << b) & limit;
      return instruction.op == Op::LShr ? a >> b : static_cast<uint64_t>(asSigned(a, bits) >> b) & limit;
    });
    result.taint |= undefined;
    return;
  }
  if (instruction.op == Op::Shl)
    return zip(left, right, result, mask, [&](uint64_t a, uint64_t b) { return (a << b) & limit; });
  if (instruction.op == Op::LShr)
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) { return a >> b; });
  zip(left, right, result, mask,
      [&](uint64_t a, uint64_t b) { return static_cast<uint64_t>(asSigned(a, bits) >> b) & limit; });
}

double floatOperation(Op op, double a, double b) {
  switch (op) {
  case Op::FAdd:
    return a + b;
  case Op::FSub:
    return a - b;
  case Op::FMul:
    return a * b;
  case Op::FDiv:
    return a / b;
  default:
    return std::fmod(a, b);
  }
}

template <typename Number, typename Bits>
void floatZip(Op op, const Slot &left, const Slot &right, Slot &result, LaneMask mask) {
  auto run = [&](auto operation) {
    zip(left, right, result, mask, [&](uint64_t a, uint64_t b) -> uint64_t {
      return std::bit_cast<Bits>(static_cast<Number>(operation(std::bit_cast<Number>(static_cast<Bits>(a)),
                                                               std::bit_cast<Number>(static_cast<Bits>(b)))));
    });
  };
  switch (op) {
  case Op::FAdd:
    return run([](Number a, Number b) { return a + b; });
  case Op::FSub:
    return run([](Number a, Number b) { return a - b; });
  case Op::FMul:
    return run([](Number a, Number b) { return a * b; });
  case Op::FDiv:
    return run([](Number a, Number b) { return a / b; });
  default:
    return run([](Number a, Number b) { return std::fmod(a, b); });
  }
}

void executeFloat(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result,
                  LaneMask mask) {
  if (instruction.scalar == ScalarKind::Float)
    return floatZip<float, uint32_t>(instruction.op, left, right, result, mask);
  if (instruction.scalar == ScalarKind::Double)
    return floatZip<double, uint64_t>(instruction.op, left, right, result, mask);
  ScalarKind kind = instruction.scalar;
  zip(left, right, result, mask, [&](uint64_t a, uint64_t b) {
    return fromDouble(floatOperation(instruction.op, toDouble(a, kind), toDouble(b, kind)), kind);
  });
}

bool compareFloats(uint8_t predicate, double a, double b) {
  // The four low bits of a floating predicate say for which orders it holds: equal, greater, less, unordered.
  unsigned order = std::isnan(a) || std::isnan(b) ? 8 : a < b ? 4 : a > b ? 2 : 1;
  return (predicate & order) != 0;
}

} // namespace

void executeBinary(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result,
                   LaneMask mask) {
  uint64_t limit = maskOf(instruction.bits);
  switch (instruction.op) {
  case Op::Add:
    return zip(left, right, result, mask, [=](uint64_t a, uint64_t b) { return (a + b) & limit; });
  case Op::Sub:
    return zip(left, right, result, mask, [=](uint64_t a, uint64_t b) { return (a - b) & limit; });
  case Op::Mul:
    return zip(left, right, result, mask, [=](uint64_t a, uint64_t b) { return (a * b) & limit; });
  case Op::And:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) { return a & b; });
  case Op::Or:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) { return a | b; });
  case Op::Xor:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) { return a ^ b; });
  case Op::Shl:
  case Op::LShr:
  case Op::AShr:
    return shift(instruction, left, right, result, mask);
  case Op::UDiv:
  case Op::SDiv:
  case Op::URem:
  case Op::SRem:
    return divide(instruction, left, right, result, mask);
  default:
    return executeFloat(instruction, left, right, result, mask);
  }
}

void executeCompare(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result,
                    LaneMask mask) {
  if (instruction.op == Op::FCmp) {
    ScalarKind kind = instruction.fromScalar;
    return zip(left, right, result, mask, [&](uint64_t a, uint64_t b) -> uint64_t {
      return compareFloats(instruction.detail, toDouble(a, kind), toDouble(b, kind));
    });
  }
  unsigned bits = instruction.fromBits;
  auto compareSigned = [&](auto test) {
    zip(left, right, result, mask,
        [&](uint64_t a, uint64_t b) -> uint64_t { return test(asSigned(a, bits), asSigned(b, bits)); });
  };
  switch (static_cast<Predicate>(instruction.detail)) {
  case Predicate::ICMP_EQ:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) -> uint64_t { return a == b; });
  case Predicate::ICMP_NE:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) -> uint64_t { return a != b; });
  case Predicate::ICMP_UGT:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) -> uint64_t { return a > b; });
  case Predicate::ICMP_UGE:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) -> uint64_t { return a >= b; });
  case Predicate::ICMP_ULT:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) -> uint64_t { return a < b; });
  case Predicate::ICMP_ULE:
    return zip(left, right, result, mask, [](uint64_t a, uint64_t b) -> uint64_t { return a <= b; });
  case Predicate::ICMP_SGT:
    return compareSigned([](int64_t a, int64_t b) { return a > b; });
  case Predicate::ICMP_SGE:
    return compareSigned([](int64_t a, int64_t b) { return a >= b; });
  case Predicate::ICMP_SLT:
    return compareSigned([](int64_t a, int64_t b) { return a < b; });
  default:
    return compareSigned([](int64_t a, int64_t b) { return a <= b; });
  }
}

void executeConversion(const Instruction &instruction, const Slot &operand, Slot &result, LaneMask mask) {
  uint64_t limit = maskOf(instruction.bits);
  unsigned from = instruction.fromBits;
  Instruction math = instruction;
  switch (instruction.op) {
  case Op::Trunc:
    return apply(operand, result, mask, [=](uint64_t a) { return a & limit; });
  case Op::SExt:
    return apply(operand, result, mask,
                 [=](uint64_t a) { return static_cast<uint64_t>(asSigned(a, from)) & limit; });
  case Op::FNeg:
    return apply(operand, result, mask, [=](uint64_t a) { return a ^ (uint64_t(1) << (from - 1)); });
  case Op::FpConvert:
    return apply(operand, result, mask, [&](uint64_t a) {
      return fromDouble(toDouble(a, instruction.fromScalar), instruction.scalar);
    });
  case Op::SpaceCast:
    return apply(operand, result, mask,
                 [&](uint64_t a) { return castAddress(a, instruction.fromBits, instruction.detail); });
  case Op::FpToUi:
  case Op::FpToSi:
    math.detail = static_cast<uint8_t>(instruction.op == Op::FpToSi ? MathFunction::ToSigned
                                                                    : MathFunction::ToUnsigned);
    return apply(operand, result, mask, [&](uint64_t a) { return evaluateMath(math, a); });
  case Op::UiToFp:
  case Op::SiToFp:
    math.detail = static_cast<uint8_t>(instruction.op == Op::SiToFp ? MathFunction::FromSigned
                                                                    : MathFunction::FromUnsigned);
    return apply(operand, result, mask, [&](uint64_t a) { return evaluateMath(math, a); });
  default: // ZExt and Copy: canonical integers are zero-extended
    return apply(operand, result, mask, [](uint64_t a) { return a; });
  }
}

} // namespace warpwright::simt
