#include "feedback/evaluators/virtual/lowering/shadow/Shadow.h"

#include "feedback/evaluators/virtual/lowering/shadow/ShadowPass.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace warpwright::vdevice {

ShadowPass::Builder ShadowPass::after(llvm::Instruction &instruction) {
  if (llvm::isa<llvm::PHINode>(instruction))
    return Builder(&*instruction.getParent()->getFirstInsertionPt());
  return Builder(instruction.getNextNode());
}

llvm::Type *ShadowPass::wideType(llvm::Type *type) {
  llvm::Type *wide = llvm::Type::getDoubleTy(type->getContext());
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
    return llvm::VectorType::get(wide, vector->getElementCount());
  return wide;
}

llvm::Value *ShadowPass::widened(Builder &builder, llvm::Value *number) {
  llvm::Type *wide = wideType(number->getType());
  return number->getType() == wide ? number : builder.CreateFPExt(number, wide);
}

llvm::Value *ShadowPass::orOriginal(Builder &builder, llvm::Value *shadow, llvm::Value *number) {
  llvm::Value *isLost =
      builder.CreateAnd(builder.CreateFCmpUNO(shadow, shadow), builder.CreateFCmpORD(number, number));
  return builder.CreateSelect(isLost, widened(builder, number), shadow);
}

llvm::Value *ShadowPass::ofConstant(llvm::Constant *constant) {
  llvm::Type *wide = wideType(constant->getType());
  if (llvm::isa<llvm::UndefValue>(constant))
    return llvm::Constant::getNullValue(wide);
  llvm::Constant *folded = constant->getType() == wide
                               ? constant
                               : llvm::ConstantFoldCastOperand(llvm::Instruction::FPExt, constant, wide,
                                                               state_.module.getDataLayout());
  return folded ? folded : llvm::Constant::getNullValue(wide);
}

llvm::Value *ShadowPass::of(llvm::Value *number) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(number))
    return ofConstant(constant);
  llvm::Value *&shadow = shadows_[number];
  if (shadow)
    return shadow;
  // An argument, or code that is never reached.
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(number);
  Builder builder =
      instruction ? after(*instruction) : Builder(&*function_.getEntryBlock().getFirstInsertionPt());
  return shadow = widened(builder, number);
}

llvm::Value *ShadowPass::lesser(Builder &builder, llvm::Value &result, llvm::Value &first,
                                llvm::Value &second) {
  llvm::Value *shadow =
      builder.CreateSelect(builder.CreateFCmpOEQ(&result, &second), of(&second), widened(builder, &result));
  return builder.CreateSelect(builder.CreateFCmpOEQ(&result, &first), of(&first), shadow);
}

llvm::Value *ShadowPass::remainder(Builder &builder, llvm::Value &result, llvm::Value &dividend,
                                   llvm::Value &divisor) {
  llvm::Value *quotient = builder.CreateUnaryIntrinsic(
      llvm::Intrinsic::roundeven,
      builder.CreateFDiv(builder.CreateFSub(widened(builder, &dividend), widened(builder, &result)),
                         widened(builder, &divisor)));
  llvm::Value *product = builder.CreateFNeg(builder.CreateFMul(quotient, of(&divisor)));
  return orOriginal(builder, builder.CreateFAdd(of(&dividend), product), &result);
}

llvm::Value *ShadowPass::buildOperation(Builder &builder, llvm::Instruction &instruction) {
  auto operand = [&](unsigned i) { return of(instruction.getOperand(i)); };
  using I = llvm::Instruction;
  switch (instruction.getOpcode()) {
  case I::FAdd:
    return builder.CreateFAdd(operand(0), operand(1));
  case I::FSub:
    return builder.CreateFSub(operand(0), operand(1));
  case I::FMul:
    return builder.CreateFMul(operand(0), operand(1));
  case I::FDiv:
    return orOriginal(builder, builder.CreateFDiv(operand(0), operand(1)), &instruction);
  case I::FRem:
    return remainder(builder, instruction, *instruction.getOperand(0), *instruction.getOperand(1));
  case I::FNeg:
    return builder.CreateFNeg(operand(0));
  case I::FPExt:
  case I::FPTrunc:
  case I::Freeze:
    return operand(0);
  case I::SIToFP:
  case I::UIToFP: {
    checkBits(instruction, *instruction.getOperand(0));
    return builder.CreateCast(static_cast<llvm::Instruction::CastOps>(instruction.getOpcode()),
                              instruction.getOperand(0), wideType(instruction.getType()));
  }
  case I::Select:
    return builder.CreateSelect(instruction.getOperand(0), operand(1), operand(2));
  case I::ExtractElement:
    return builder.CreateExtractElement(operand(0), instruction.getOperand(1));
  case I::InsertElement:
    return builder.CreateInsertElement(operand(0), operand(1), instruction.getOperand(2));
  case I::ShuffleVector:
    return builder.CreateShuffleVector(operand(0), operand(1),
                                       llvm::cast<llvm::ShuffleVectorInst>(instruction).getShuffleMask());
  default:
    return nullptr;
  }
}

/// A member of what insertions put together.
llvm::Value *ShadowPass::buildExtract(Builder &builder, llvm::ExtractValueInst &extract) {
  llvm::Value *aggregate = extract.getAggregateOperand();
  while (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(aggregate)) {
    if (insert->getIndices() == extract.getIndices())
      return of(insert->getInsertedValueOperand());
    aggregate = insert->getAggregateOperand();
  }
  return nullptr;
}

llvm::Value *ShadowPass::build(llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return buildCall(*call);
  if (llvm::isa<llvm::BitCastInst>(instruction) && !instruction.getOperand(0)->getType()->isFPOrFPVectorTy())
    return ofBits(instruction, instruction.getOperand(0));
  Builder builder = after(instruction);
  llvm::Value *shadow = llvm::isa<llvm::ExtractValueInst>(instruction)
                            ? buildExtract(builder, llvm::cast<llvm::ExtractValueInst>(instruction))
                            : buildOperation(builder, instruction);
  if (shadow)
    return shadow;
  lose(instruction,
       (llvm::Twine("an operation on numbers that is not followed: ") + instruction.getOpcodeName()).str());
  return widened(builder, &instruction);
}

void ShadowPass::visit(llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return visitLoad(*load);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return visitStore(*store);
  if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return visitAtomic(*atomic);
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return visitExchange(*exchange);
  if (instruction.getType()->isFPOrFPVectorTy() && !llvm::isa<llvm::PHINode>(instruction))
    shadows_[&instruction] = build(instruction);
  else if (llvm::isa<llvm::CallInst>(instruction))
    visitMemory(instruction);
}

void ShadowPass::finishPhis() {
  for (auto &[value, shadow] :
       llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>>(shadows_.begin(), shadows_.end()))
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        llvm::cast<llvm::PHINode>(shadow)->addIncoming(of(phi->getIncomingValue(i)),
                                                       phi->getIncomingBlock(i));
  // Finishing one may ask for others.
  for (size_t next = 0; next < integerPhis_.size(); ++next) {
    IntegerPhi each = integerPhis_[next];
    for (unsigned i = 0; i < each.phi->getNumIncomingValues(); ++i) {
      llvm::BasicBlock *block = each.phi->getIncomingBlock(i);
      each.shadow->addIncoming(
          integerOrUnknown(each.phi->getIncomingValue(i), each.width, each.at, *block->getTerminator()),
          block);
    }
  }
}

void ShadowPass::run() {
  llvm::SmallVector<llvm::Instruction *> work;
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function_))
    for (llvm::Instruction &instruction : *block)
      work.push_back(&instruction);
  for (llvm::Instruction *instruction : work)
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction); phi && phi->getType()->isFPOrFPVectorTy())
      shadows_[phi] = Builder(phi).CreatePHI(wideType(phi->getType()), phi->getNumIncomingValues());
  for (llvm::Instruction *instruction : work)
    visit(*instruction);
  finishPhis();
}

namespace {

/// Inlines what the kernel calls of the user's functions, as far as that can be done.
void inlineCalls(LoweringState &state) {
  constexpr unsigned mostRounds = 64; // deeper nests of calls than these are recursion
  for (unsigned round = 0; round < mostRounds; ++round) {
    llvm::SmallVector<llvm::CallInst *> calls;
    for (llvm::Instruction &instruction : llvm::instructions(*state.kernel)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && state.functions.contains(callee) && !state.recursiveFrames.contains(callee))
        calls.push_back(call);
    }
    if (calls.empty())
      return;
    for (llvm::CallInst *call : calls) {
      llvm::InlineFunctionInfo information;
      if (!llvm::InlineFunction(*call, information).isSuccess())
        return;
    }
  }
}

} // namespace

void addShadow(LoweringState &state) {
  inlineCalls(state);
  ShadowPass(state, *state.kernel).run();
}

} // namespace warpwright::vdevice
