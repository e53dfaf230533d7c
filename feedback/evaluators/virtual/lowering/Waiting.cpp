#include "feedback/evaluators/virtual/lowering/Waiting.h"

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace warpwright::vdevice {

llvm::StringRef runtimeName(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  llvm::StringRef name = callee ? callee->getName() : "";
  return name.consume_front("warpwright.") ? name : llvm::StringRef();
}

bool waits(const llvm::Instruction &instruction) {
  return llvm::StringSwitch<bool>(runtimeName(instruction))
      .Cases({"active_mask", "barrier", "collective", "steps", "yield"}, true)
      .Default(false);
}

bool waitsOrEnds(const llvm::Instruction &instruction) {
  return waits(instruction) || runtimeName(instruction) == "exit";
}

bool inlineWaiting(LoweringState &state, llvm::Function &function) {
  constexpr unsigned mostRounds = 64; // deeper nests of calls than these are recursion
  for (unsigned round = 0; round < mostRounds; ++round) {
    llvm::SmallVector<llvm::CallInst *> calls;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (llvm::Function *callee = call->getCalledFunction(); callee && state.functions.contains(callee))
          calls.push_back(call);
    if (calls.empty())
      break;
    for (llvm::CallInst *call : calls) {
      if (state.recursiveFrames.contains(call->getCalledFunction()))
        return false;
      llvm::InlineFunctionInfo information;
      if (!llvm::InlineFunction(*call, information).isSuccess())
        return false;
    }
  }
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    bool indirect = call && !call->isInlineAsm() && !call->getCalledFunction();
    if (indirect)
      return false;
  }
  return true;
}

} // namespace warpwright::vdevice
