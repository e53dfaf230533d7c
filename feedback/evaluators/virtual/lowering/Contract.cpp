#include "feedback/evaluators/virtual/lowering/Contract.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright::vdevice {
namespace {

/// The product, where it may vanish into its only use.
llvm::BinaryOperator *fusible(llvm::Value *value) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
  bool fits = product && product->getOpcode() == llvm::Instruction::FMul && product->hasAllowContract() &&
              product->hasOneUse();
  return fits ? product : nullptr;
}

/// a * b + c, a * b - c, c + a * b or c - a * b as one operation. Of two products the left one is fused.
llvm::Value *fuse(llvm::BinaryOperator &sum) {
  bool subtracts = sum.getOpcode() == llvm::Instruction::FSub;
  llvm::BinaryOperator *product = fusible(sum.getOperand(0));
  bool left = product != nullptr;
  if (!product)
    product = fusible(sum.getOperand(1));
  if (!product)
    return nullptr;
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *factor = product->getOperand(0);
  llvm::Value *addend = sum.getOperand(left ? 1 : 0);
  if (subtracts && left)
    addend = builder.CreateFNeg(addend);
  if (subtracts && !left)
    factor = builder.CreateFNeg(factor);
  return builder.CreateIntrinsic(llvm::Intrinsic::fma, {sum.getType()},
                                 {factor, product->getOperand(1), addend});
}

void contract(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    bool adds =
        sum && (sum->getOpcode() == llvm::Instruction::FAdd || sum->getOpcode() == llvm::Instruction::FSub);
    if (!adds || !sum->hasAllowContract())
      continue;
    llvm::Value *fused = fuse(*sum);
    if (!fused)
      continue;
    sum->replaceAllUsesWith(fused);
    llvm::SmallVector<llvm::Instruction *, 2> operands;
    for (llvm::Value *operand : sum->operands())
      if (auto *product = llvm::dyn_cast<llvm::Instruction>(operand))
        operands.push_back(product);
    sum->eraseFromParent();
    for (llvm::Instruction *product : operands)
      if (product->use_empty() && product->getOpcode() == llvm::Instruction::FMul)
        product->eraseFromParent();
  }
}

/// llvm.fmuladd leaves the choice to the target; nvcc's is to fuse.
void decideMulAdd(llvm::Function &function, bool fused) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::fmuladd)
      continue;
    llvm::IRBuilder<> builder(call);
    llvm::Value *a = call->getArgOperand(0), *b = call->getArgOperand(1), *c = call->getArgOperand(2);
    llvm::Value *result = fused ? builder.CreateIntrinsic(llvm::Intrinsic::fma, {call->getType()}, {a, b, c})
                                : builder.CreateFAdd(builder.CreateFMul(a, b), c);
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

} // namespace

void contractProducts(LoweringState &state) {
  for (llvm::Function *function : state.functions) {
    if (state.options.contract)
      contract(*function);
    decideMulAdd(*function, state.options.contract);
    for (llvm::Instruction &instruction : llvm::instructions(*function))
      if (llvm::isa<llvm::FPMathOperator>(instruction))
        instruction.setFastMathFlags(llvm::FastMathFlags());
  }
}

} // namespace warpwright::vdevice
