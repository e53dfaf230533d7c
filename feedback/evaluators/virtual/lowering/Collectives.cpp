#include "feedback/evaluators/virtual/lowering/Collectives.h"

#include "analysis/ir/InlinePtx.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

namespace warpwright::vdevice {
namespace {

/// Of intrinsics, after "llvm.nvvm.", and of opcodes.
constexpr llvm::StringLiteral prefixes[] = {
    "activemask", "bar.",      "barrier", "elect", "exit",     "ldmatrix", "match", "mma",
    "mbarrier",   "movmatrix", "redux",   "shfl",  "stmatrix", "vote",     "wmma",  "nanosleep"};

bool isCollective(llvm::StringRef name) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

} // namespace

bool synchronises(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call)
    return false;
  if (call->isInlineAsm()) {
    const auto *assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
    return llvm::any_of(parsePtx(assembly->getAsmString()),
                        [](const PtxInstruction &each) { return isCollective(each.name() + "."); });
  }
  const llvm::Function *callee = call->getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  return name.consume_front("llvm.nvvm.") && isCollective(name);
}

bool synchronises(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function),
                      [](const llvm::Instruction &instruction) { return synchronises(instruction); });
}

} // namespace warpwright::vdevice
