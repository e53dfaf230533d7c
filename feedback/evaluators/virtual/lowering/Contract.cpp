#include "feedback/evaluators/virtual/lowering/Contract.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

namespace warpwright::vdevice {
namespace {

using llvm::Instruction;

/// Which products nvcc and ptxas fuse was read off the code that they make (CUDA 13.0, sm_90).
enum class Stage {
  Sums,        ///< by nvcc: into at most four additions, which are all that uses the product
  Differences, ///< by ptxas: where sums and differences are all that is left of its uses
};

bool isSum(const llvm::Value *value, Stage stage) {
  const auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (!sum || !sum->hasAllowContract())
    return false;
  return sum->getOpcode() == Instruction::FAdd ||
         (stage == Stage::Differences && sum->getOpcode() == Instruction::FSub);
}

bool isProduct(const llvm::Value *value) {
  const auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return product && product->getOpcode() == Instruction::FMul && product->hasAllowContract();
}

/// Whether sums that use the product fuse it: one that may be anywhere, or several in its block. A product
/// that something else needs is computed in any case, and then nowhere fused.
bool isFusible(const llvm::Value *product, Stage stage) {
  constexpr unsigned mostSums = 4;
  const llvm::BasicBlock *block = llvm::cast<Instruction>(product)->getParent();
  auto fuses = [&](const llvm::User *user) {
    if (!product->hasOneUse() && llvm::cast<Instruction>(user)->getParent() != block)
      return false;
    if (stage == Stage::Differences && user->hasOneUse())
      if (const auto *negation = llvm::dyn_cast<llvm::UnaryOperator>(user))
        return isSum(*negation->user_begin(), stage);
    return isSum(user, stage);
  };
  return (stage == Stage::Differences || !product->hasNUsesOrMore(mostSums + 1)) &&
         llvm::all_of(product->users(), fuses);
}

using Products = llvm::SmallPtrSet<const llvm::Value *, 16>;

/// The products that a stage fuses, as uses are before it.
Products fusibleProducts(llvm::Function &function, Stage stage) {
  Products products;
  for (const Instruction &instruction : llvm::instructions(function))
    if (isProduct(&instruction) && isFusible(&instruction, stage))
      products.insert(&instruction);
  return products;
}

/// One operand of a sum: the product that is fused, or null.
struct Factor {
  llvm::BinaryOperator *product = nullptr;
  bool isNegative = false;
};

Factor factorOf(llvm::Value *operand, const Products &products, Stage stage) {
  Factor factor;
  if (auto *negation = llvm::dyn_cast<llvm::UnaryOperator>(operand); negation && negation->hasOneUse()) {
    operand = negation->getOperand(0);
    factor.isNegative = true;
  }
  // Another sum may have taken it as its addend since.
  bool isFused = products.contains(operand) && (stage == Stage::Sums || isFusible(operand, stage));
  factor.product = isFused ? llvm::cast<llvm::BinaryOperator>(operand) : nullptr;
  return factor;
}

/// a * b + c, a * b - c, c + a * b or c - a * b as one operation. Of two products the left one is fused.
llvm::Value *fuse(llvm::BinaryOperator &sum, const Products &products, Stage stage) {
  bool subtracts = sum.getOpcode() == Instruction::FSub;
  Factor factor = factorOf(sum.getOperand(0), products, stage);
  bool left = factor.product != nullptr;
  if (!left)
    factor = factorOf(sum.getOperand(1), products, stage);
  if (!factor.product)
    return nullptr;
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *first = factor.product->getOperand(0);
  llvm::Value *addend = sum.getOperand(left ? 1 : 0);
  if (subtracts && left)
    addend = builder.CreateFNeg(addend);
  if (factor.isNegative != (subtracts && !left))
    first = builder.CreateFNeg(first);
  return builder.CreateIntrinsic(llvm::Intrinsic::fma, {sum.getType()},
                                 {first, factor.product->getOperand(1), addend});
}

void contract(llvm::Function &function, Stage stage) {
  Products products = fusibleProducts(function, stage);
  llvm::SmallVector<llvm::BinaryOperator *> sums;
  for (Instruction &instruction : llvm::instructions(function))
    if (isSum(&instruction, stage))
      sums.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
  for (llvm::BinaryOperator *sum : sums) {
    llvm::Value *fused = fuse(*sum, products, stage);
    if (!fused)
      continue;
    sum->replaceAllUsesWith(fused);
    llvm::Value *operands[] = {sum->getOperand(0), sum->getOperand(1)};
    sum->eraseFromParent();
    // A negation that nothing uses is no use of its product. Products themselves stay known to the end.
    for (llvm::Value *operand : operands)
      if (auto *negation = llvm::dyn_cast<llvm::UnaryOperator>(operand); negation && negation->use_empty())
        negation->eraseFromParent();
  }
  llvm::SmallVector<llvm::WeakTrackingVH> unused;
  for (const llvm::Value *product : products)
    unused.emplace_back(const_cast<llvm::Value *>(product));
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
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
    if (state.options.contract) {
      contract(*function, Stage::Sums);
      contract(*function, Stage::Differences);
      contractShortProducts(*function);
    }
    decideMulAdd(*function, state.options.contract);
    for (llvm::Instruction &instruction : llvm::instructions(*function))
      if (llvm::isa<llvm::FPMathOperator>(instruction))
        instruction.setFastMathFlags(llvm::FastMathFlags());
  }
}

} // namespace warpwright::vdevice
