#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

namespace warpwright::vdevice {
namespace {

constexpr llvm::StringLiteral placeMetadata = "warpwright.place";
constexpr llvm::StringLiteral siteMetadata = "warpwright.site";

void setNumber(llvm::Instruction &instruction, llvm::StringRef kind, size_t value) {
  llvm::LLVMContext &context = instruction.getContext();
  auto *number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  instruction.setMetadata(kind, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
}

std::optional<uint32_t> numberOf(const llvm::Instruction &instruction, llvm::StringRef kind) {
  const llvm::MDNode *node = instruction.getMetadata(kind);
  if (!node)
    return std::nullopt;
  return static_cast<uint32_t>(
      llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue());
}

} // namespace

void LoweringState::setPlace(llvm::Instruction &instruction, const Place &place) {
  if (places.empty())
    places.emplace_back();
  if (places.back() != place)
    places.push_back(place);
  setNumber(instruction, placeMetadata, places.size() - 1);
}

llvm::Value *LoweringState::placeOf(const llvm::Instruction &instruction) const {
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()),
                                numberOf(instruction, placeMetadata).value_or(0));
}

void LoweringState::setSite(llvm::Instruction &instruction, uint32_t site) const {
  setNumber(instruction, siteMetadata, site);
}

std::optional<uint32_t> LoweringState::siteOf(const llvm::Instruction &instruction) const {
  return numberOf(instruction, siteMetadata);
}

llvm::Value *LoweringState::contextMember(llvm::IRBuilderBase &builder, size_t offset) const {
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(0), offset);
}

llvm::Value *LoweringState::readContext(llvm::IRBuilderBase &builder, size_t offset, llvm::Type *type) const {
  return builder.CreateLoad(type, contextMember(builder, offset));
}

llvm::CallInst *LoweringState::callRuntime(llvm::IRBuilderBase &builder, llvm::StringRef name,
                                           llvm::Type *result,
                                           llvm::ArrayRef<llvm::Value *> arguments) const {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::CallInst *call = builder.CreateCall(callee, arguments);
  call->setDoesNotThrow();
  return call;
}

} // namespace warpwright::vdevice
