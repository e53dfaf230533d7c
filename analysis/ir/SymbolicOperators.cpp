#include "analysis/ir/SymbolicValues.h"

#include <llvm/Analysis/ScalarEvolution.h>

namespace warpwright {

SymbolicInteger SymbolicValues::computeOperator(const llvm::Operator *operation, Reading reading) {
  switch (operation->getOpcode()) {
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Mul:
  case llvm::Instruction::Shl:
    return computeSum(llvm::cast<llvm::OverflowingBinaryOperator>(operation), reading);
  case llvm::Instruction::SExt:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::Trunc:
  case llvm::Instruction::PtrToInt:
    return computeCast(operation, reading);
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return computeBits(operation, reading);
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return computeDivision(operation, reading);
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp: {
    SymbolicInteger bit = opaque(operation);
    return reading == Reading::Signed ? SymbolicInteger{Expression() - bit.value} : bit;
  }
  default:
    return opaque(operation);
  }
}

/// Exact where the flag for this reading is set or ScalarEvolution proves it. Read as unsigned without that
/// flag, the signed reading is taken: a sum with a negative constant is small, not near 2^32.
SymbolicInteger SymbolicValues::computeSum(const llvm::OverflowingBinaryOperator *operation,
                                           Reading reading) {
  unsigned width = operation->getType()->getIntegerBitWidth();
  const llvm::Value *left = operation->getOperand(0), *right = operation->getOperand(1);
  bool exact = reading == Reading::Signed ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap();
  llvm::ScalarEvolution &evolution = view_.evolution;
  if (reading == Reading::Unsigned && !exact && width < 64) {
    SymbolicInteger value = integer(operation, Reading::Signed);
    if (!evolution.isKnownNonNegative(
            evolution.getSCEV(const_cast<llvm::Operator *>(static_cast<const llvm::Operator *>(operation)))))
      value.suppositions |= SymbolicInteger::NotNegative;
    return value;
  }
  if (!exact && width < 64 && operation->getOpcode() != llvm::Instruction::Shl)
    exact = evolution.willNotOverflow(static_cast<llvm::Instruction::BinaryOps>(operation->getOpcode()), true,
                                      evolution.getSCEV(const_cast<llvm::Value *>(left)),
                                      evolution.getSCEV(const_cast<llvm::Value *>(right)));
  unsigned supposition = exact || width == 64 ? 0u : static_cast<unsigned>(SymbolicInteger::NoWrap);
  SymbolicInteger a = integer(left, reading);
  if (operation->getOpcode() == llvm::Instruction::Shl) {
    const auto *amount = llvm::dyn_cast<llvm::ConstantInt>(right);
    if (!amount || amount->getZExtValue() >= 63) {
      SymbolicInteger b = integer(right, Reading::Unsigned);
      return pureSymbol(operation, a.value.factorText() + " << " + b.value.factorText(), {a, b}, true);
    }
    return {a.value * Expression(int64_t(1) << amount->getZExtValue()), a.suppositions | supposition};
  }
  SymbolicInteger b = integer(right, reading);
  Expression value = operation->getOpcode() == llvm::Instruction::Add   ? a.value + b.value
                     : operation->getOpcode() == llvm::Instruction::Sub ? a.value - b.value
                                                                        : a.value * b.value;
  return {std::move(value), a.suppositions | b.suppositions | supposition};
}

SymbolicInteger SymbolicValues::computeCast(const llvm::Operator *operation, Reading reading) {
  const llvm::Value *source = operation->getOperand(0);
  switch (operation->getOpcode()) {
  case llvm::Instruction::SExt:
    return integer(source, Reading::Signed);
  case llvm::Instruction::ZExt: {
    const auto *extension = llvm::dyn_cast<llvm::PossiblyNonNegInst>(operation);
    bool nonNegative = extension && extension->hasNonNeg();
    return integer(source, nonNegative ? Reading::Signed : Reading::Unsigned);
  }
  case llvm::Instruction::Trunc: {
    const auto *truncation = llvm::dyn_cast<llvm::TruncInst>(operation);
    bool exact = truncation && (reading == Reading::Signed ? truncation->hasNoSignedWrap()
                                                           : truncation->hasNoUnsignedWrap());
    SymbolicInteger value = integer(source, reading);
    bool wide = source->getType()->getIntegerBitWidth() > 64;
    if (!exact && !wide && operation->getType()->getIntegerBitWidth() > 1)
      value.suppositions |= SymbolicInteger::FitsNarrow;
    return operation->getType()->getIntegerBitWidth() > 1 ? value : opaque(operation);
  }
  default: {
    SymbolicInteger address = opaque(operation);
    pointerOfSymbol_[address.value.terms().front().first.front()] = source;
    return address;
  }
  }
}

SymbolicInteger SymbolicValues::computeBits(const llvm::Operator *operation, Reading reading) {
  unsigned opcode = operation->getOpcode();
  const llvm::Value *right = operation->getOperand(1);
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(right);
  if (operation->getType()->isIntegerTy(1))
    return opaque(operation);
  if (const auto *disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(operation);
      disjoint && disjoint->isDisjoint()) {
    SymbolicInteger a = integer(operation->getOperand(0), reading), b = integer(right, reading);
    return combine(a, b, a.value + b.value);
  }
  if (opcode == llvm::Instruction::Xor && constant && constant->isMinusOne()) {
    SymbolicInteger a = integer(operation->getOperand(0), Reading::Signed);
    if (reading == Reading::Unsigned)
      a.suppositions |= SymbolicInteger::NotNegative;
    a.value = Expression(-1) - a.value;
    return a;
  }
  bool isSigned = opcode == llvm::Instruction::AShr;
  SymbolicInteger a = integer(operation->getOperand(0), isSigned ? Reading::Signed : Reading::Unsigned);
  bool isShift = opcode == llvm::Instruction::LShr || opcode == llvm::Instruction::AShr;
  if (isShift && constant && constant->getZExtValue() < 63) {
    int64_t divisor = int64_t(1) << constant->getZExtValue();
    if (std::optional<Expression> quotient = a.value.dividedBy(divisor))
      return {*quotient, a.suppositions};
    return pureSymbol(operation, a.value.factorText() + " / " + std::to_string(divisor), {a}, isSigned);
  }
  if (opcode == llvm::Instruction::And && constant && constant->getValue().isMask())
    return pureSymbol(operation, a.value.factorText() + " % " + std::to_string(constant->getZExtValue() + 1),
                      {a}, false, constant->getZExtValue());
  if (opcode == llvm::Instruction::And && constant && constant->getValue().isNegatedPowerOf2()) {
    int64_t unit = -constant->getSExtValue();
    SymbolicInteger part = pureSymbol(operation, a.value.factorText() + " / " + std::to_string(unit), {a},
                                      reading == Reading::Signed);
    part.value = part.value * Expression(unit);
    return part;
  }
  SymbolicInteger b = integer(right, Reading::Unsigned);
  const char *sign = opcode == llvm::Instruction::And   ? " & "
                     : opcode == llvm::Instruction::Or  ? " | "
                     : opcode == llvm::Instruction::Xor ? " ^ "
                                                        : " >> ";
  return pureSymbol(operation, a.value.factorText() + sign + b.value.factorText(), {a, b}, true);
}

SymbolicInteger SymbolicValues::computeDivision(const llvm::Operator *operation, Reading reading) {
  unsigned opcode = operation->getOpcode();
  bool isSigned = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  bool remainder = opcode == llvm::Instruction::URem || opcode == llvm::Instruction::SRem;
  Reading operandReading = isSigned ? Reading::Signed : Reading::Unsigned;
  SymbolicInteger a = integer(operation->getOperand(0), operandReading);
  SymbolicInteger b = integer(operation->getOperand(1), operandReading);
  std::optional<int64_t> divisor = b.value.asConstant();
  if (std::optional<Expression> quotient = divisor ? a.value.dividedBy(*divisor) : std::nullopt)
    return {remainder ? Expression() : *quotient, a.suppositions};
  return pureSymbol(
      operation, a.value.factorText() + (remainder ? " % " : " / ") + b.value.factorText(), {a, b}, isSigned,
      remainder && !isSigned && divisor && *divisor > 0 ? std::optional(*divisor - 1) : std::nullopt);
}

} // namespace warpwright
