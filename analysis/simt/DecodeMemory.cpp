#include "analysis/simt/Decoder.h"
#include "analysis/simt/Pieces.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

namespace warpwright::simt {
namespace {

/// One memory scalar for each slot of a flattened value.
std::vector<MemoryScalar> memoryScalars(llvm::ArrayRef<ScalarShape> shapes) {
  std::vector<MemoryScalar> scalars;
  for (const ScalarShape &shape : shapes) {
    unsigned bytes = llvm::divideCeil(shape.bits, 8);
    scalars.push_back({shape.offset, static_cast<uint8_t>(std::min(bytes, 8u))});
    if (bytes > 8)
      scalars.push_back({shape.offset + 8, static_cast<uint8_t>(bytes - 8)});
  }
  return scalars;
}

AccessSpace declaredSpace(unsigned addressSpace) {
  switch (addressSpace) {
  case SharedSpace:
    return AccessSpace::Shared;
  case LocalSpace:
    return AccessSpace::Local;
  case ConstantSpace:
    return AccessSpace::Constant;
  default:
    return AccessSpace::Global;
  }
}

bool hasPackedBits(llvm::Type *type) {
  return type->isVectorTy() && type->getScalarSizeInBits() % 8 != 0;
}

} // namespace

int32_t Decoder::addMemory(MemoryForm form, const llvm::Instruction &source) {
  form.site = program_.sites.size();
  for (const MemoryScalar &piece : form.pieces)
    for (unsigned space = 0; space < accessSpaces; ++space)
      program_.sites.push_back({&source, form.access, static_cast<AccessSpace>(space),
                                declaredSpace(form.addressSpace), piece.bytes});
  code_.memory.push_back(std::move(form));
  return static_cast<int32_t>(code_.memory.size() - 1);
}

void Decoder::decodeAccess(const llvm::Instruction &source, Op op, AccessKind access, llvm::Type *type,
                           llvm::Align alignment, const llvm::Value *pointer,
                           llvm::ArrayRef<Operand> values) {
  if (hasPackedBits(type))
    return decodeOpaque(source, "an access to a vector of single bits");
  Scalars shapes;
  flatten(type, shapes);
  MemoryForm form;
  form.access = access;
  form.addressSpace = pointer->getType()->getPointerAddressSpace();
  form.scalars = memoryScalars(shapes);
  if (type->isAggregateType())
    form.pieces = form.scalars;
  else
    form.pieces = cutIntoPieces(layout_.getTypeStoreSize(type).getFixedValue(), alignment);
  Instruction instruction = start(source, op, InstructionClass::Memory);
  instruction.extra = addMemory(std::move(form), source);
  if (const auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&source))
    instruction.detail = static_cast<uint8_t>(atomic->getOperation());
  llvm::SmallVector<Operand, 3> operands = {operand(pointer)};
  operands.append(values.begin(), values.end());
  finish(instruction, operands);
}

bool Decoder::decodeMemory(const llvm::Instruction &source) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&source)) {
    decodeAccess(source, Op::Load, AccessKind::Load, load->getType(), load->getAlign(),
                 load->getPointerOperand(), {});
    return true;
  }
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&source)) {
    decodeAccess(source, Op::Store, AccessKind::Store, store->getValueOperand()->getType(), store->getAlign(),
                 store->getPointerOperand(), operand(store->getValueOperand()));
    return true;
  }
  if (const auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&source)) {
    if (atomic->getType()->isVectorTy() || atomic->getType()->getPrimitiveSizeInBits() > 64)
      decodeOpaque(source, "an atomic operation on more than 64 bits");
    else
      decodeAccess(source, Op::AtomicRmw, AccessKind::Atomic, atomic->getType(), atomic->getAlign(),
                   atomic->getPointerOperand(), operand(atomic->getValOperand()));
    return true;
  }
  if (const auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&source)) {
    llvm::Type *type = exchange->getNewValOperand()->getType();
    if (type->getPrimitiveSizeInBits() > 64)
      decodeOpaque(source, "an atomic operation on more than 64 bits");
    else
      decodeAccess(source, Op::CompareExchange, AccessKind::Atomic, type, exchange->getAlign(),
                   exchange->getPointerOperand(),
                   {operand(exchange->getCompareOperand()), operand(exchange->getNewValOperand())});
    return true;
  }
  if (const auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&source)) {
    decodeAlloca(*alloca);
    return true;
  }
  return false;
}

void Decoder::decodeAlloca(const llvm::AllocaInst &alloca) {
  Instruction instruction = start(alloca, Op::Alloca, InstructionClass::None);
  AddressForm form;
  form.offset = static_cast<int64_t>(layout_.getTypeAllocSize(alloca.getAllocatedType()).getFixedValue());
  instruction.extra = static_cast<int32_t>(code_.addresses.size());
  instruction.detail = static_cast<uint8_t>(llvm::Log2(alloca.getAlign()));
  instruction.fromBits = static_cast<uint16_t>(alloca.getType()->getPointerAddressSpace());
  code_.addresses.push_back(std::move(form));
  finish(instruction, operand(alloca.getArraySize()));
}

bool Decoder::decodeBlockMemory(const llvm::CallBase &call) {
  const auto *block = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
  if (!block)
    return false;
  const auto *length = llvm::dyn_cast<llvm::ConstantInt>(block->getLength());
  if (!length || length->getZExtValue() > longestUnrolledCopy) {
    decodeOpaque(call, "a block copy whose length is not a small constant");
    return true;
  }
  const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(block);
  llvm::Align alignment = block->getDestAlign().valueOrOne();
  if (transfer)
    alignment = std::min(alignment, transfer->getSourceAlign().valueOrOne());
  MemoryForm store;
  store.access = AccessKind::Store;
  store.addressSpace = block->getDestAddressSpace();
  store.pieces = cutIntoPieces(length->getZExtValue(), alignment);
  Instruction instruction = start(call, transfer ? Op::CopyMemory : Op::SetMemory, InstructionClass::Memory);
  MemoryForm load = store;
  instruction.extra = addMemory(std::move(store), call);
  if (transfer) { // its load is the next entry of the table
    load.access = AccessKind::Load;
    load.addressSpace = transfer->getSourceAddressSpace();
    addMemory(std::move(load), call);
  }
  finish(instruction, {operand(call.getArgOperand(0)), operand(call.getArgOperand(1))});
  return true;
}

void Decoder::decodeAsmAccess(const llvm::CallBase &call, AccessKind kind, unsigned addressSpace,
                              unsigned bytes, LaneMask lanes, Operand base, int64_t offset) {
  MemoryForm form;
  form.access = kind;
  form.addressSpace = addressSpace;
  form.addressLanes = lanes;
  form.pieces =
      cutIntoPieces(bytes, llvm::Align(std::min<uint64_t>(llvm::bit_floor(uint64_t(bytes)), widestAccess)));
  for (MemoryScalar &piece : form.pieces)
    piece.offset += static_cast<uint32_t>(offset);
  // No scalars: the values that go through inline PTX are not followed, so a load has no result and a store
  // forgets.
  Instruction instruction =
      start(call, kind == AccessKind::Store ? Op::Store : Op::Load, InstructionClass::Memory);
  instruction.count = 0;
  instruction.extra = addMemory(std::move(form), call);
  finish(instruction, base);
}

} // namespace warpwright::simt
