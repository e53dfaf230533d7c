#include "feedback/evaluators/virtual/lowering/Guards.h"

#include "feedback/evaluators/virtual/lowering/Arithmetic.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright::vdevice {
namespace {

using I = llvm::Instruction;

bool isConstantInRange(const llvm::Value *value, unsigned bits) {
  const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->getValue().ult(bits);
}

/// Null where the operation has a result for all operands.
llvm::Value *guarded(LoweringState &state, llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  ArithmeticBuilder arithmetic(state, builder);
  switch (instruction.getOpcode()) {
  case I::UDiv:
  case I::SDiv:
  case I::URem:
  case I::SRem: {
    const auto *divisor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    if (divisor && !divisor->isZero() && !divisor->isMinusOne())
      return nullptr;
    return arithmetic.divide(static_cast<I::BinaryOps>(instruction.getOpcode()), instruction.getOperand(0),
                             instruction.getOperand(1));
  }
  case I::Shl:
  case I::LShr:
  case I::AShr:
    if (isConstantInRange(instruction.getOperand(1), instruction.getType()->getScalarSizeInBits()))
      return nullptr;
    return arithmetic.shift(static_cast<I::BinaryOps>(instruction.getOpcode()), instruction.getOperand(0),
                            instruction.getOperand(1));
  case I::FPToSI:
  case I::FPToUI: {
    auto *type = llvm::dyn_cast<llvm::IntegerType>(instruction.getType());
    bool wide = type && type->getBitWidth() >= 16;
    return wide ? arithmetic.toInteger(instruction.getOperand(0), type, instruction.getOpcode() == I::FPToSI,
                                       Rounding::Zero)
                : nullptr;
  }
  default:
    return nullptr;
  }
}

/// Operations on floats that are flushed: those whose instructions have the modifier `ftz`, comparisons and
/// conversions to double among them, which have no result to flush.
bool flushes(const llvm::Instruction &instruction) {
  bool readsOnly = instruction.getOpcode() == I::FCmp || instruction.getOpcode() == I::FPExt;
  if (readsOnly)
    return instruction.getOperand(0)->getType()->isFloatTy();
  if (!instruction.getType()->isFloatTy())
    return false;
  switch (instruction.getOpcode()) {
  case I::FAdd:
  case I::FSub:
  case I::FMul:
  case I::FDiv:
  case I::FPTrunc:
    return true;
  default:
    break;
  }
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::fma:
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::roundeven:
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::trunc:
    return true;
  default:
    return false;
  }
}

} // namespace

void guardUndefined(LoweringState &state) {
  for (llvm::Function *function : state.functions) {
    // What is built holds guarded operations itself, so the list is taken first.
    llvm::SmallVector<llvm::Instruction *> work;
    for (llvm::Instruction &instruction : llvm::instructions(*function))
      work.push_back(&instruction);
    for (llvm::Instruction *instruction : work)
      if (llvm::Value *value = guarded(state, *instruction)) {
        instruction->replaceAllUsesWith(value);
        instruction->eraseFromParent();
      }
  }
}

void flushDenormals(LoweringState &state) {
  if (!state.options.flushDenormals)
    return;
  for (llvm::Function &function : state.module) {
    llvm::SmallVector<llvm::Instruction *> work;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (flushes(instruction))
        work.push_back(&instruction);
    for (llvm::Instruction *instruction : work) {
      llvm::IRBuilder<> builder(instruction);
      ArithmeticBuilder arithmetic(state, builder);
      for (llvm::Use &operand : instruction->operands())
        if (operand->getType()->isFloatTy())
          operand.set(arithmetic.flush(operand));
      llvm::Value *raw = builder.Insert(instruction->clone());
      instruction->replaceAllUsesWith(raw->getType()->isFloatTy() ? arithmetic.flush(raw) : raw);
      instruction->eraseFromParent();
    }
  }
}

void flushAtomicSums(LoweringState &state) {
  if (state.isShadowed())
    return;
  for (llvm::Function *function : state.functions)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*function))) {
      auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      bool isSum = atomic && atomic->getOperation() == llvm::AtomicRMWInst::FAdd;
      if (!isSum || !atomic->getType()->isFloatTy())
        continue;
      llvm::IRBuilder<> builder(atomic);
      atomic->replaceAllUsesWith(
          state.callRuntime(builder, "warpwright.atomic_add_f32", builder.getFloatTy(),
                            {function->getArg(0), atomic->getPointerOperand(), atomic->getValOperand()}));
      atomic->eraseFromParent();
    }
}

} // namespace warpwright::vdevice
