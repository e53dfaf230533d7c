#include "feedback/evaluators/virtual/lowering/shadow/BitSources.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

namespace warpwright::vdevice {
namespace {

bool isNumber(const llvm::Value &value) {
  return value.getType()->isFPOrFPVectorTy();
}

/// A function that hands out bits of a number: the device library's, or the rounding to 16 bits.
bool givesBits(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  if (llvm::is_contained({"__nv_float_as_int", "__nv_float_as_uint", "__nv_double_as_longlong",
                          "__nv_double2hiint", "__nv_double2loint", "__nv_float2half_rn"},
                         name))
    return true;
  if (!name.consume_front("warpwright.cvt.") && !name.consume_front("warpwright.fma."))
    return false;
  return call.getType()->isIntegerTy(16);
}

} // namespace

BitSources findBitSources(llvm::Value &integer) {
  BitSources sources;
  llvm::SmallPtrSet<llvm::Value *, 16> seen;
  llvm::SmallVector<llvm::Value *> work = {&integer};
  while (!work.empty()) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second || !instruction->getType()->isIntOrIntVectorTy() ||
        instruction->getType()->isIntOrIntVectorTy(1))
      continue;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
      sources.loads.push_back(load);
      continue;
    }
    if (llvm::isa<llvm::BitCastInst>(instruction))
      sources.fromNumber |= isNumber(*instruction->getOperand(0));
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(instruction))
      sources.fromNumber |= givesBits(*call);
    for (llvm::Value *operand : instruction->operands())
      work.push_back(operand);
  }
  return sources;
}

} // namespace warpwright::vdevice
