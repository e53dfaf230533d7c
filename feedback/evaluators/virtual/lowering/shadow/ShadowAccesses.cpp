// Numbers in memory: their doubles are kept by address, beside the bits that they are of.

#include "feedback/evaluators/virtual/lowering/shadow/ShadowPass.h"

#include <llvm/IR/IntrinsicInst.h>

namespace warpwright::vdevice {

llvm::Value *ShadowPass::bitsOf(Builder &builder, llvm::Value *value, unsigned at, unsigned width) {
  auto all = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
  llvm::Value *bits =
      value->getType()->isIntegerTy() ? value : builder.CreateBitCast(value, builder.getIntNTy(all));
  if (at != 0)
    bits = builder.CreateLShr(bits, at);
  return builder.CreateZExt(builder.CreateZExtOrTrunc(bits, builder.getIntNTy(width)), builder.getInt64Ty());
}

llvm::Value *ShadowPass::loadShadow(Builder &builder, llvm::Value *pointer, uint64_t offset, unsigned bytes,
                                    llvm::Value *bits, llvm::Value *fallback) {
  if (offset != 0)
    pointer = builder.CreateConstGEP1_64(builder.getInt8Ty(), pointer, offset);
  return state_.callRuntime(builder, "warpwright.shadow_load", builder.getDoubleTy(),
                            {function_.getArg(0), pointer, builder.getInt32(bytes), bits, fallback});
}

void ShadowPass::storeShadow(Builder &builder, llvm::Value *pointer, uint64_t offset, unsigned bytes,
                             llvm::Value *bits, llvm::Value *shadow) {
  if (offset != 0)
    pointer = builder.CreateConstGEP1_64(builder.getInt8Ty(), pointer, offset);
  state_.callRuntime(builder, "warpwright.shadow_store", builder.getVoidTy(),
                     {function_.getArg(0), pointer, builder.getInt32(bytes), bits, shadow});
}

void ShadowPass::forget(Builder &builder, llvm::Value *pointer, llvm::Value *bytes) {
  state_.callRuntime(builder, "warpwright.shadow_forget", builder.getVoidTy(),
                     {function_.getArg(0), pointer, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty())});
}

void ShadowPass::visitLoad(llvm::LoadInst &load) {
  llvm::Type *type = load.getType();
  if (!type->isFPOrFPVectorTy())
    return; // integers are asked for where they are used as numbers
  Builder builder = after(load);
  unsigned bits = type->getScalarSizeInBits();
  llvm::Value *own = widened(builder, &load);
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) {
    shadows_[&load] =
        loadShadow(builder, load.getPointerOperand(), 0, bits / 8, bitsOf(builder, &load, 0, bits), own);
    return;
  }
  llvm::Value *result = own;
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    llvm::Value *shadow =
        loadShadow(builder, load.getPointerOperand(), uint64_t(i) * bits / 8, bits / 8,
                   bitsOf(builder, &load, i * bits, bits), builder.CreateExtractElement(own, i));
    result = builder.CreateInsertElement(result, shadow, i);
  }
  shadows_[&load] = result;
}

void ShadowPass::storeNumber(Builder &builder, llvm::Value *pointer, llvm::Value *number,
                             llvm::Value *shadow) {
  unsigned bits = number->getType()->getScalarSizeInBits();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(number->getType());
  if (!vector)
    return storeShadow(builder, pointer, 0, bits / 8, bitsOf(builder, number, 0, bits), shadow);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    storeShadow(builder, pointer, uint64_t(i) * bits / 8, bits / 8, bitsOf(builder, number, i * bits, bits),
                builder.CreateExtractElement(shadow, i));
}

void ShadowPass::visitStore(llvm::StoreInst &store) {
  llvm::Value *value = store.getValueOperand();
  if (value->getType()->isFPOrFPVectorTy()) {
    Builder builder = after(store);
    return storeNumber(builder, store.getPointerOperand(), value, of(value));
  }
  if (value->getType()->isIntOrIntVectorTy())
    return storeIntegers(store);
  Builder builder = after(store);
  uint64_t bytes = state_.module.getDataLayout().getTypeStoreSize(value->getType()).getFixedValue();
  forget(builder, store.getPointerOperand(), builder.getInt64(bytes));
}

/// An integer may hold one number or several. What it was loaded from decides, so all are kept that are
/// known.
void ShadowPass::storeIntegers(llvm::StoreInst &store) {
  llvm::Value *value = store.getValueOperand();
  auto all = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
  bool isCarried = llvm::isa<llvm::Constant>(value);
  Builder builder = after(store);
  forget(builder, store.getPointerOperand(), builder.getInt64((all + 7) / 8));
  for (unsigned width : {64u, 32u, 16u})
    for (unsigned at = 0; all % 16 == 0 && !llvm::isa<llvm::Constant>(value) && at + width <= all;
         at += width)
      if (llvm::Value *shadow = integer(value, width, static_cast<int>(at))) {
        isCarried = true;
        storeShadow(builder, store.getPointerOperand(), at / 8, width / 8, bitsOf(builder, value, at, width),
                    shadow);
      }
  if (!isCarried)
    checkBits(store, *value);
}

/// Which of two a maximum kept, the kernel's own result says; sums are summed.
void ShadowPass::visitNumberAtomic(llvm::AtomicRMWInst &atomic) {
  using Atomic = llvm::AtomicRMWInst;
  llvm::Value *operand = atomic.getValOperand();
  Builder builder = after(atomic);
  unsigned bits = atomic.getType()->getScalarSizeInBits();
  llvm::Value *before = loadShadow(builder, atomic.getPointerOperand(), 0, bits / 8,
                                   bitsOf(builder, &atomic, 0, bits), widened(builder, &atomic));
  shadows_[&atomic] = before;
  llvm::Value *result = nullptr, *shadow = nullptr;
  switch (atomic.getOperation()) {
  case Atomic::FAdd:
    result = builder.CreateFAdd(&atomic, operand);
    shadow = builder.CreateFAdd(before, of(operand));
    break;
  case Atomic::FSub:
    result = builder.CreateFSub(&atomic, operand);
    shadow = builder.CreateFSub(before, of(operand));
    break;
  case Atomic::FMax:
  case Atomic::FMin:
    result = builder.CreateBinaryIntrinsic(atomic.getOperation() == Atomic::FMax ? llvm::Intrinsic::maxnum
                                                                                 : llvm::Intrinsic::minnum,
                                           &atomic, operand);
    shadow = lesser(builder, *result, atomic, *operand);
    break;
  case Atomic::Xchg:
    result = operand;
    shadow = of(operand);
    break;
  default:
    return lose(atomic, "an atomic operation on numbers that is not followed");
  }
  storeNumber(builder, atomic.getPointerOperand(), result, shadow);
}

/// Maxima and minima of bits are those of numbers for whoever knows their signs.
void ShadowPass::visitAtomic(llvm::AtomicRMWInst &atomic) {
  using Atomic = llvm::AtomicRMWInst;
  llvm::Type *type = atomic.getType();
  if (type->isFloatingPointTy())
    return visitNumberAtomic(atomic);
  if (type->isFPOrFPVectorTy())
    return lose(atomic, "an atomic operation on numbers that is not followed");
  if (!type->isIntegerTy(16) && !type->isIntegerTy(32) && !type->isIntegerTy(64))
    return;
  Builder builder = after(atomic);
  unsigned bits = type->getIntegerBitWidth();
  llvm::Value *operand = atomic.getValOperand(), *pointer = atomic.getPointerOperand();
  llvm::Value *before =
      loadShadow(builder, pointer, 0, bits / 8, bitsOf(builder, &atomic, 0, bits), unknown());
  shadows_[&atomic] = before;
  llvm::Value *given = integer(operand, bits, 0);
  llvm::Value *takes = nullptr;
  switch (atomic.getOperation()) {
  case Atomic::Xchg:
    takes = builder.getTrue();
    break;
  case Atomic::Max:
    takes = builder.CreateICmpSGT(operand, &atomic);
    break;
  case Atomic::Min:
    takes = builder.CreateICmpSLT(operand, &atomic);
    break;
  case Atomic::UMax:
    takes = builder.CreateICmpUGT(operand, &atomic);
    break;
  case Atomic::UMin:
    takes = builder.CreateICmpULT(operand, &atomic);
    break;
  default:
    break;
  }
  if (!given || !takes) {
    checkBits(atomic, *operand);
    return forget(builder, pointer, builder.getInt64(bits / 8));
  }
  llvm::Value *result = builder.CreateSelect(takes, operand, &atomic);
  forget(builder, pointer, builder.getInt64(bits / 8));
  storeShadow(builder, pointer, 0, bits / 8, bitsOf(builder, result, 0, bits),
              builder.CreateSelect(takes, given, before));
}

void ShadowPass::visitExchange(llvm::AtomicCmpXchgInst &exchange) {
  llvm::Type *type = exchange.getNewValOperand()->getType();
  if (!type->isIntegerTy(16) && !type->isIntegerTy(32) && !type->isIntegerTy(64))
    return;
  Builder builder = after(exchange);
  unsigned bits = type->getIntegerBitWidth();
  llvm::Value *pointer = exchange.getPointerOperand(), *given = exchange.getNewValOperand();
  llvm::Value *old = builder.CreateExtractValue(&exchange, 0),
              *done = builder.CreateExtractValue(&exchange, 1);
  llvm::Value *before = loadShadow(builder, pointer, 0, bits / 8, bitsOf(builder, old, 0, bits), unknown());
  shadows_[&exchange] = before;
  llvm::Value *shadow = integerOrUnknown(given, bits, 0, exchange);
  // Where nothing was written, what is there is written again.
  llvm::Value *result = builder.CreateSelect(done, given, old);
  forget(builder, pointer, builder.getInt64(bits / 8));
  storeShadow(builder, pointer, 0, bits / 8, bitsOf(builder, result, 0, bits),
              builder.CreateSelect(done, shadow, before));
}

void ShadowPass::visitMemory(llvm::Instruction &instruction) {
  auto &call = llvm::cast<llvm::CallInst>(instruction);
  Builder builder = after(instruction);
  llvm::Value *context = function_.getArg(0);
  auto copy = [&](llvm::Value *to, llvm::Value *from, llvm::Value *bytes) {
    state_.callRuntime(builder, "warpwright.shadow_copy", builder.getVoidTy(),
                       {context, to, from, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty())});
  };
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
    builder.SetInsertPoint(&call); // what overlaps is still as it was
    return copy(transfer->getRawDest(), transfer->getRawSource(), transfer->getLength());
  }
  if (auto *fill = llvm::dyn_cast<llvm::MemSetInst>(&call))
    return forget(builder, fill->getRawDest(), fill->getLength());
  llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  if (name == "warpwright.async_copy") {
    enum : unsigned { To = 2, From = 3, Bytes = 4, Size = 5 };
    forget(builder, call.getArgOperand(To), call.getArgOperand(Bytes));
    return copy(call.getArgOperand(To), call.getArgOperand(From), call.getArgOperand(Size));
  }
  if (name.starts_with("__nv_sincos"))
    return visitSinCos(call, name);
  // What writes numbers and is not followed: a function that calls itself, one of the library with results in
  // memory.
  bool isOfUser = callee && state_.functions.contains(callee);
  bool isLibrary = name.starts_with("__nv_") && call.getType()->isVoidTy();
  if (isOfUser || isLibrary || (!callee && !call.isInlineAsm()))
    lose(call, isLibrary ? ("'" + name + "' is not followed").str()
                         : "a function that cannot be inlined is called");
}

} // namespace warpwright::vdevice
