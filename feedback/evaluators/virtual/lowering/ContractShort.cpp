// Products and sums of 16 bits, which the toolkit's headers spell as inline PTX.

#include "feedback/evaluators/virtual/lowering/Contract.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

namespace warpwright::vdevice {
namespace {

/// One instruction of inline PTX on numbers of 16 bits, without a rounding of its own.
struct ShortOperation {
  llvm::StringRef name; ///< "mul", "add", "sub", "neg"
  llvm::StringRef type; ///< "f16", "f16x2", "bf16", "bf16x2"
  bool saturates = false;
};

std::optional<ShortOperation> shortOperationOf(const llvm::Value *value) {
  const auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  const auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!assembly)
    return std::nullopt;
  auto [opcode, operands] = assembly->getAsmString().trim(" \t\r\n{};").split(' ');
  operands = operands.trim();
  ShortOperation operation;
  std::tie(operation.name, opcode) = opcode.split('.');
  operation.saturates = opcode.consume_front("sat.");
  operation.type = opcode;
  bool isShort = opcode == "f16" || opcode == "f16x2" || opcode == "bf16" || opcode == "bf16x2";
  bool isUnary = operation.name == "neg";
  bool isKnown = isUnary || operation.name == "add" || operation.name == "sub" || operation.name == "mul";
  llvm::StringRef expected = isUnary ? "$0,$1" : "$0,$1,$2";
  bool isPlain = operands == expected || operands == (isUnary ? "$0, $1" : "$0, $1, $2");
  return isShort && isKnown && isPlain && call->arg_size() == (isUnary ? 1u : 2u) ? std::optional(operation)
                                                                                  : std::nullopt;
}

bool isShortProduct(const llvm::Value *value) {
  std::optional<ShortOperation> operation = shortOperationOf(value);
  return operation && operation->name == "mul" && !operation->saturates;
}

/// A sum or a difference of this type, of two different values.
bool isShortSum(const llvm::Value *value, llvm::StringRef type) {
  std::optional<ShortOperation> operation = shortOperationOf(value);
  if (!operation || operation->type != type || (operation->name != "add" && operation->name != "sub"))
    return false;
  const auto *call = llvm::cast<llvm::CallInst>(value);
  return call->getArgOperand(0) != call->getArgOperand(1);
}

bool isShortNegation(const llvm::Value *value, llvm::StringRef type) {
  std::optional<ShortOperation> operation = shortOperationOf(value);
  return operation && operation->name == "neg" && operation->type == type;
}

/// As ptxas does (CUDA 13.0, sm_90): where sums and differences in the product's block are all that uses it.
/// A half of a packed product, or a packed value that was joined of two products, is something else.
bool isFusibleShort(const llvm::CallInst &product) {
  llvm::StringRef type = shortOperationOf(&product)->type;
  return !product.use_empty() && llvm::all_of(product.users(), [&](const llvm::User *user) {
    if (isShortNegation(user, type) && user->hasOneUse())
      user = *user->user_begin();
    return isShortSum(user, type) && llvm::cast<llvm::Instruction>(user)->getParent() == product.getParent();
  });
}

struct ShortFactor {
  llvm::CallInst *product = nullptr;
  bool isNegative = false;
};

ShortFactor shortFactorOf(llvm::Value *operand, llvm::StringRef type) {
  ShortFactor factor;
  if (isShortNegation(operand, type) && operand->hasOneUse()) {
    operand = llvm::cast<llvm::CallInst>(operand)->getArgOperand(0);
    factor.isNegative = true;
  }
  if (isShortProduct(operand) && shortOperationOf(operand)->type == type &&
      isFusibleShort(*llvm::cast<llvm::CallInst>(operand)))
    factor.product = llvm::cast<llvm::CallInst>(operand);
  return factor;
}

/// With the signs of all numbers in the word turned over.
llvm::Value *withSignsTurned(llvm::IRBuilder<> &builder, llvm::Value *bits) {
  constexpr uint64_t signs = 0x80008000;
  return builder.CreateXor(
      bits, llvm::ConstantInt::get(bits->getType(), signs & llvm::maskTrailingOnes<uint64_t>(
                                                                bits->getType()->getIntegerBitWidth())));
}

/// The sum with its product in it; null where there is none. Of two products the left one is fused.
llvm::Value *fuseShort(llvm::CallInst &sum) {
  ShortOperation operation = *shortOperationOf(&sum);
  bool subtracts = operation.name == "sub";
  ShortFactor factor = shortFactorOf(sum.getArgOperand(0), operation.type);
  bool isLeft = factor.product != nullptr;
  if (!isLeft)
    factor = shortFactorOf(sum.getArgOperand(1), operation.type);
  if (!factor.product || !sum.getType()->isIntegerTy())
    return nullptr;
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *first = factor.product->getArgOperand(0);
  llvm::Value *addend = sum.getArgOperand(isLeft ? 1 : 0);
  if (subtracts && isLeft)
    addend = withSignsTurned(builder, addend);
  if (factor.isNegative != (subtracts && !isLeft))
    first = withSignsTurned(builder, first);
  llvm::Type *type = sum.getType();
  std::string text =
      ("{fma.rn." + llvm::Twine(operation.saturates ? "sat." : "") + operation.type + " $0,$1,$2,$3;}").str();
  const char *constraints = type->isIntegerTy(16) ? "=h,h,h,h" : "=r,r,r,r";
  auto *fused =
      llvm::InlineAsm::get(llvm::FunctionType::get(type, {type, type, type}, false), text, constraints,
                           /*hasSideEffects=*/false);
  llvm::CallInst *call = builder.CreateCall(fused, {first, factor.product->getArgOperand(1), addend});
  call->setAttributes(sum.getAttributes());
  return call;
}

/// A product that is fused everywhere, and the negation between.
void eraseUnusedShort(llvm::Value *value) {
  std::optional<ShortOperation> operation = shortOperationOf(value);
  if (!operation || !value->use_empty() || (operation->name != "mul" && operation->name != "neg"))
    return;
  auto *call = llvm::cast<llvm::CallInst>(value);
  llvm::Value *operand = call->getArgOperand(0);
  call->eraseFromParent();
  eraseUnusedShort(operand);
}

} // namespace

void contractShortProducts(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> sums;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (std::optional<ShortOperation> operation = shortOperationOf(&instruction);
        operation && isShortSum(&instruction, operation->type))
      sums.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst *sum : sums) {
    llvm::Value *fused = fuseShort(*sum);
    if (!fused)
      continue;
    llvm::Value *left = sum->getArgOperand(0), *right = sum->getArgOperand(1);
    sum->replaceAllUsesWith(fused);
    sum->eraseFromParent();
    eraseUnusedShort(left);
    eraseUnusedShort(right);
  }
}

} // namespace warpwright::vdevice
