#include "analysis/ir/AccessAnalysis.h"
#include "analysis/ir/InlinePtx.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright {
namespace {

using RawList = llvm::SmallVector<RawAccess, 2>;

CombineKind combineOf(llvm::AtomicRMWInst::BinOp operation) {
  using llvm::AtomicRMWInst;
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    return CombineKind::Sum;
  case AtomicRMWInst::And:
    return CombineKind::And;
  case AtomicRMWInst::Or:
    return CombineKind::Or;
  case AtomicRMWInst::Xor:
    return CombineKind::Xor;
  case AtomicRMWInst::Max:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMaximum:
    return CombineKind::Max;
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::FMin:
  case AtomicRMWInst::FMinimum:
    return CombineKind::Min;
  case AtomicRMWInst::Xchg:
    return CombineKind::Exchange;
  case AtomicRMWInst::UIncWrap:
    return CombineKind::Increment;
  case AtomicRMWInst::UDecWrap:
    return CombineKind::Decrement;
  default:
    return CombineKind::Other;
  }
}

RawAccess plain(const llvm::Instruction &instruction, const llvm::Value *pointer, const llvm::Type *type,
                llvm::Align alignment, const llvm::DataLayout &layout) {
  RawAccess access;
  access.instruction = &instruction;
  access.pointer = pointer;
  access.bytes = layout.getTypeStoreSize(const_cast<llvm::Type *>(type));
  access.alignment = alignment.value();
  access.elementType = typeText(type);
  return access;
}

RawList blockCopy(const llvm::MemIntrinsic &copy, const llvm::DataLayout &layout) {
  const auto *length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  RawAccess write;
  write.instruction = &copy;
  write.pointer = copy.getRawDest();
  write.kind = AccessKind::Write;
  write.bytes = length ? length->getZExtValue() : 0;
  write.alignment = copy.getDestAlign().valueOrOne().value();
  write.isVolatile = copy.isVolatile();
  write.elementType = "bytes";
  write.name = llvm::isa<llvm::MemSetInst>(copy) ? "memset" : "memcpy";
  RawList accesses;
  if (const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy)) {
    RawAccess read = write;
    read.pointer = transfer->getRawSource();
    read.kind = AccessKind::Read;
    read.alignment = transfer->getSourceAlign().valueOrOne().value();
    accesses.push_back(read);
  }
  accesses.push_back(write);
  return accesses;
}

} // namespace

std::string typeText(const llvm::Type *type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type->print(stream);
  return text;
}

RawList intrinsicAccesses(const llvm::CallBase &call, const llvm::DataLayout &layout) {
  llvm::StringRef name = call.getCalledFunction()->getName();
  RawList accesses;
  if (!name.consume_front("llvm.nvvm."))
    return accesses;
  if (name.starts_with("ldu.global.") || name.starts_with("ldg.global.")) {
    llvm::Align alignment(1);
    if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1)))
      alignment = llvm::Align(constant->getZExtValue());
    RawAccess access = plain(call, call.getArgOperand(0), call.getType(), alignment, layout);
    access.space = MemorySpace::Global;
    access.cacheHint = name.starts_with("ldg") ? "nc" : "";
    access.name = name.take_front(3).str();
    accesses.push_back(access);
  } else if (name.starts_with("cp.async.c")) {
    RawAccess read;
    read.instruction = &call;
    read.pointer = call.getArgOperand(1);
    read.space = MemorySpace::Global;
    read.cacheHint = name.substr(9, 2).str();
    read.name = "cp.async";
    read.elementType = "bytes";
    llvm::StringRef width = name.ends_with(".s") ? name.drop_back(2) : name;
    width.rsplit('.').second.getAsInteger(10, read.bytes);
    read.alignment = read.bytes;
    RawAccess write = read;
    write.pointer = call.getArgOperand(0);
    write.space = MemorySpace::Shared;
    write.kind = AccessKind::Write;
    accesses = {read, write};
  } else if (name.starts_with("ldmatrix") || name.starts_with("stmatrix")) {
    RawAccess access;
    access.instruction = &call;
    access.pointer = call.getArgOperand(0);
    access.space = MemorySpace::Shared;
    access.kind = name.front() == 's' ? AccessKind::Write : AccessKind::Read;
    access.bytes = access.alignment = 16;
    access.elementType = "bytes";
    access.name = name.take_front(8).str();
    accesses.push_back(access);
  } else if (name.starts_with("atomic.")) {
    RawAccess access = plain(call, call.getArgOperand(0), call.getType(), llvm::Align(1), layout);
    access.alignment = access.bytes;
    access.kind = AccessKind::Atomic;
    access.combine = combineNamed(name.drop_front(7).split('.').first);
    access.resultUsed = !call.use_empty();
    access.name = "atom";
    accesses.push_back(access);
  }
  return accesses;
}

RawList rawAccesses(const llvm::Instruction &instruction, const llvm::DataLayout &layout) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    RawAccess access = plain(*load, load->getPointerOperand(), load->getType(), load->getAlign(), layout);
    access.isVolatile = load->isVolatile();
    if (load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
      access.cacheHint = "nc";
    return {access};
  }
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    RawAccess access = plain(*store, store->getPointerOperand(), store->getValueOperand()->getType(),
                             store->getAlign(), layout);
    access.kind = AccessKind::Write;
    access.isVolatile = store->isVolatile();
    return {access};
  }
  if (const auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    RawAccess access =
        plain(*atomic, atomic->getPointerOperand(), atomic->getType(), atomic->getAlign(), layout);
    access.kind = AccessKind::Atomic;
    access.combine = combineOf(atomic->getOperation());
    access.resultUsed = !atomic->use_empty();
    return {access};
  }
  if (const auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    RawAccess access = plain(*exchange, exchange->getPointerOperand(),
                             exchange->getNewValOperand()->getType(), exchange->getAlign(), layout);
    access.kind = AccessKind::Atomic;
    access.combine = CombineKind::CompareExchange;
    access.resultUsed = !exchange->use_empty();
    return {access};
  }
  if (const auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
    return blockCopy(*copy, layout);
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call)
    return {};
  bool known = true;
  if (call->isInlineAsm())
    return assemblyAccesses(*call, known);
  return call->getCalledFunction() ? intrinsicAccesses(*call, layout) : RawList();
}

} // namespace warpwright
