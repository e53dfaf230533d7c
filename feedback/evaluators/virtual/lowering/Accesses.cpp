#include "feedback/evaluators/virtual/lowering/Accesses.h"

#include "analysis/simt/InlineAsm.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace warpwright::vdevice {
namespace {

using Accesses = llvm::SmallVector<InstructionAccess, 2>;
using simt::AccessKind;

bool isParameter(const llvm::Value *pointer) {
  constexpr unsigned parameterSpace = 101;
  if (pointer->getType()->getPointerAddressSpace() == parameterSpace)
    return true;
  const auto *argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
  return argument && argument->hasByValAttr() &&
         argument->getParent()->getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

InstructionAccess access(AccessKind kind, llvm::Value *pointer, uint64_t bytes,
                         llvm::Value *length = nullptr) {
  return {kind, pointer->getType()->getPointerAddressSpace(), static_cast<unsigned>(bytes), pointer, length};
}

uint64_t sizeOf(const llvm::Instruction &instruction, llvm::Type *type) {
  return instruction.getModule()->getDataLayout().getTypeStoreSize(type).getFixedValue();
}

Accesses accessesOfMemoryIntrinsic(const llvm::MemIntrinsic &memory) {
  Accesses accesses;
  const auto *length = llvm::dyn_cast<llvm::ConstantInt>(memory.getLength());
  uint64_t bytes = length ? length->getZExtValue() : 0;
  if (length && bytes == 0)
    return accesses;
  if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&memory))
    if (!isParameter(transfer->getRawSource()))
      accesses.push_back(access(AccessKind::Load, transfer->getRawSource(), bytes, memory.getLength()));
  if (!isParameter(memory.getRawDest()))
    accesses.push_back(access(AccessKind::Store, memory.getRawDest(), bytes, memory.getLength()));
  return accesses;
}

Accesses accessesOfAsm(const llvm::CallBase &call) {
  Accesses accesses;
  const auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  for (const simt::AsmAccess &each :
       simt::readInlineAsm(assembly->getAsmString(), simt::GuardedAccesses::Listed).accesses)
    accesses.push_back({each.kind, each.addressSpace, each.bytes, nullptr, nullptr});
  return accesses;
}

Accesses accessesOfAsyncCopy(const llvm::CallBase &call, llvm::StringRef name) {
  name.consume_front("llvm.nvvm.cp.async.");
  unsigned bytes = 0;
  if ((!name.consume_front("ca.shared.global.") && !name.consume_front("cg.shared.global.")) ||
      name.consumeInteger(10, bytes))
    return {};
  return {access(AccessKind::AsyncCopy, call.getArgOperand(1), bytes),
          access(AccessKind::AsyncCopy, call.getArgOperand(0), bytes)};
}

/// Functions of the device library that hand results out through pointers.
Accesses accessesOfLibrary(const llvm::CallBase &call, llvm::StringRef name) {
  constexpr unsigned integerBytes = 4, doubleBytes = 8;
  Accesses accesses;
  bool isNumber = name.starts_with("modf") || name.contains("sincos");
  if (!isNumber && !name.starts_with("frexp") && !name.starts_with("remquo"))
    return accesses;
  unsigned bytes = isNumber && call.getArgOperand(0)->getType()->isDoubleTy() ? doubleBytes : integerBytes;
  for (llvm::Value *argument : call.args())
    if (argument->getType()->isPointerTy())
      accesses.push_back(access(AccessKind::Store, argument, bytes));
  return accesses;
}

Accesses accessesOfCall(const llvm::CallBase &call) {
  if (call.isInlineAsm())
    return accessesOfAsm(call);
  if (const auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call))
    return accessesOfMemoryIntrinsic(*memory);
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return {};
  llvm::StringRef name = callee->getName();
  if (name.consume_front("__nv_"))
    return accessesOfLibrary(call, name);
  if (name.starts_with("llvm.nvvm.ldg.") || name.starts_with("llvm.nvvm.ldu."))
    return {access(AccessKind::Load, call.getArgOperand(0), sizeOf(call, call.getType()))};
  if (name.starts_with("llvm.nvvm.atomic."))
    return {access(AccessKind::Atomic, call.getArgOperand(0), sizeOf(call, call.getType()))};
  if (name.starts_with("llvm.nvvm.cp.async."))
    return accessesOfAsyncCopy(call, name);
  // Elements of a lane's fragment, whose number is not the hardware's: known by their places alone.
  if (name.starts_with("llvm.nvvm.wmma.") && name.contains(".load."))
    return {access(AccessKind::Load, call.getArgOperand(0), 0)};
  if (name.starts_with("llvm.nvvm.wmma.") && name.contains(".store."))
    return {access(AccessKind::Store, call.getArgOperand(0), 0)};
  return {};
}

} // namespace

Accesses accessesOf(const llvm::Instruction &instruction) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    auto *pointer = const_cast<llvm::Value *>(load->getPointerOperand());
    if (isParameter(pointer))
      return {};
    return {access(AccessKind::Load, pointer, sizeOf(instruction, load->getType()))};
  }
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    auto *pointer = const_cast<llvm::Value *>(store->getPointerOperand());
    if (isParameter(pointer))
      return {};
    return {access(AccessKind::Store, pointer, sizeOf(instruction, store->getValueOperand()->getType()))};
  }
  if (const auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return {access(AccessKind::Atomic, const_cast<llvm::Value *>(atomic->getPointerOperand()),
                   sizeOf(instruction, atomic->getType()))};
  if (const auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return {access(AccessKind::Atomic, const_cast<llvm::Value *>(exchange->getPointerOperand()),
                   sizeOf(instruction, exchange->getNewValOperand()->getType()))};
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return accessesOfCall(*call);
  return {};
}

} // namespace warpwright::vdevice
