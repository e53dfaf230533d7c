#include "feedback/evaluators/virtual/lowering/ContextParameter.h"

#include "feedback/evaluators/virtual/lowering/AddressSpaces.h"

#include <llvm/IR/InstIterator.h>

namespace warpwright::vdevice {
namespace {

llvm::FunctionType *withContext(llvm::FunctionType &type) {
  llvm::SmallVector<llvm::Type *> parameters = {llvm::PointerType::get(type.getContext(), 0)};
  for (llvm::Type *parameter : type.params())
    parameters.push_back(withoutAddressSpaces(parameter));
  return llvm::FunctionType::get(withoutAddressSpaces(type.getReturnType()), parameters, type.isVarArg());
}

/// The callee's own copy of an argument that is passed by value in memory.
void copyArgument(LoweringState &state, llvm::Function &function, llvm::Argument &argument, llvm::Type *type,
                  uint64_t offset) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst *copy = builder.CreateAlloca(type, nullptr, argument.getName() + ".copy");
  copy->setAlignment(llvm::Align(16));
  argument.replaceAllUsesWith(copy);
  uint64_t bytes = state.module.getDataLayout().getTypeAllocSize(type).getFixedValue();
  builder.CreateMemCpy(copy, llvm::Align(1), &argument, llvm::Align(1), bytes);
  state.localOffsets[copy] = offset;
}

llvm::Function *replaceFunction(LoweringState &state, llvm::Function &function) {
  auto *replacement = llvm::Function::Create(withContext(*function.getFunctionType()),
                                             llvm::GlobalValue::InternalLinkage, "", state.module);
  replacement->takeName(&function);
  replacement->splice(replacement->begin(), &function);
  replacement->setDoesNotThrow();
  replacement->getArg(0)->setName("context");
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    llvm::Argument *before = function.getArg(i);
    llvm::Argument *after = replacement->getArg(i + 1);
    after->takeName(before);
    // Types differ only in the address space, which goes from all instructions later.
    if (before->getType() != after->getType())
      before->mutateType(after->getType());
    before->replaceAllUsesWith(after);
    auto offset = state.localOffsets.find(before);
    if (before->hasByValAttr() && offset != state.localOffsets.end())
      copyArgument(state, *replacement, *after, before->getParamByValType(), offset->second);
  }
  auto frame = state.recursiveFrames.find(&function);
  if (frame != state.recursiveFrames.end())
    state.recursiveFrames[replacement] = frame->second;
  if (state.kernel == &function)
    state.kernel = replacement;
  return replacement;
}

void replaceCall(LoweringState &state, llvm::CallInst &call) {
  llvm::SmallVector<llvm::Value *> arguments = {call.getFunction()->getArg(0)};
  arguments.append(call.arg_begin(), call.arg_end());
  llvm::FunctionType *type = withContext(*call.getFunctionType());
  llvm::CallInst *replacement =
      llvm::CallInst::Create(type, call.getCalledOperand(), arguments, "", call.getIterator());
  replacement->setDoesNotThrow();
  if (call.getType() != replacement->getType())
    call.mutateType(replacement->getType());
  call.replaceAllUsesWith(replacement);
  replacement->takeName(&call);
  call.eraseFromParent();
}

} // namespace

void addContextParameters(LoweringState &state) {
  llvm::SetVector<llvm::Function *> replaced;
  llvm::SmallVector<llvm::Function *> old;
  for (llvm::Function *function : state.functions) {
    llvm::Function *replacement = replaceFunction(state, *function);
    function->replaceAllUsesWith(replacement);
    old.push_back(function);
    replaced.insert(replacement);
  }
  state.functions = std::move(replaced);
  for (llvm::Function *function : old)
    function->eraseFromParent();
  for (llvm::Function *function : state.functions)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*function))) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || call->isInlineAsm())
        continue;
      llvm::Function *callee = call->getCalledFunction();
      // A call whose type is not the callee's counts as one through a pointer.
      if (!callee)
        callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
      if (!callee || state.functions.contains(callee))
        replaceCall(state, *call);
    }
}

} // namespace warpwright::vdevice
