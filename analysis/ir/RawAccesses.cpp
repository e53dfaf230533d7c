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

CombineKind combineNamed(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, CombineKind> kinds[] = {
      {"add", CombineKind::Sum},       {"min", CombineKind::Min},
      {"max", CombineKind::Max},       {"and", CombineKind::And},
      {"or", CombineKind::Or},         {"xor", CombineKind::Xor},
      {"exch", CombineKind::Exchange}, {"cas", CombineKind::CompareExchange},
      {"inc", CombineKind::Increment}, {"dec", CombineKind::Decrement}};
  for (const auto &[text, kind] : kinds)
    if (name == text)
      return kind;
  return CombineKind::None;
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

/// The space a PTX instruction names; shared ones may carry a suffix, `shared::cta`.
MemorySpace spaceNamed(const PtxInstruction &instruction) {
  for (llvm::StringRef part : instruction.opcode) {
    if (part == "global")
      return MemorySpace::Global;
    if (part == "shared" || part == "shared::cta")
      return MemorySpace::Shared;
    if (part == "shared::cluster")
      return MemorySpace::ClusterShared;
    if (part == "local")
      return MemorySpace::Local;
    if (part == "const")
      return MemorySpace::Constant;
    if (part == "param")
      return MemorySpace::Parameter;
  }
  return MemorySpace::Generic;
}

std::string hintNamed(const PtxInstruction &instruction) {
  for (const char *hint : {"nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt"})
    if (instruction.has(hint))
      return hint;
  return {};
}

/// The call operand that asm operand number `slot` names. Outputs are numbered first and are results, not
/// operands.
const llvm::Value *operandAt(const llvm::CallBase &call, unsigned slot) {
  const auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  unsigned outputs = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : assembly->ParseConstraints())
    outputs += constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect;
  if (slot < outputs || slot - outputs >= call.arg_size())
    return nullptr;
  return call.getArgOperand(slot - outputs);
}

std::optional<RawAccess> addressed(const llvm::CallBase &call, const PtxInstruction &instruction,
                                   const PtxOperand &operand) {
  const llvm::Value *pointer = operand.address && operand.slot ? operandAt(call, *operand.slot) : nullptr;
  if (!pointer)
    return std::nullopt;
  RawAccess access;
  access.instruction = &call;
  access.pointer = pointer;
  access.displacement = operand.bytes;
  access.pointerIsInteger = !pointer->getType()->isPointerTy();
  access.space = spaceNamed(instruction);
  access.bytes = ptxBytes(instruction);
  access.alignment = std::max(access.bytes, 1u);
  access.elementType = instruction.opcode.back();
  access.isVolatile = instruction.has("volatile");
  access.cacheHint = hintNamed(instruction);
  access.name = instruction.name();
  return access;
}

/// `cp.async` copies its third operand's bytes from global to shared memory.
bool addAsyncCopy(const llvm::CallBase &call, const PtxInstruction &instruction, RawList &accesses) {
  if (instruction.operands.size() < 3 || instruction.has("bulk"))
    return false;
  std::optional<RawAccess> write = addressed(call, instruction, instruction.operands[0]);
  std::optional<RawAccess> read = addressed(call, instruction, instruction.operands[1]);
  const PtxOperand &size = instruction.operands[2];
  unsigned bytes = 0;
  if (llvm::StringRef(size.text).getAsInteger(10, bytes)) {
    const auto *constant =
        size.slot ? llvm::dyn_cast_or_null<llvm::ConstantInt>(operandAt(call, *size.slot)) : nullptr;
    bytes = constant ? constant->getZExtValue() : 0;
  }
  if (!write || !read || bytes == 0)
    return false;
  write->kind = AccessKind::Write;
  write->space = MemorySpace::Shared;
  read->space = MemorySpace::Global;
  for (RawAccess *access : {&*read, &*write}) {
    access->bytes = access->alignment = bytes;
    access->elementType = "bytes";
    accesses.push_back(*access);
  }
  return true;
}

/// Adds what one PTX instruction touches; false when it is not understood.
bool addPtx(const llvm::CallBase &call, const PtxInstruction &instruction, RawList &accesses) {
  llvm::StringRef name = instruction.opcode.front();
  if (isPtxArithmetic(instruction) || isPtxSynchronisation(instruction) || name == "prefetch" ||
      name == "createpolicy")
    return true;
  if (name == "cp" && instruction.has("async") && !instruction.has("bulk"))
    return addAsyncCopy(call, instruction, accesses);
  bool load = name == "ld" || name == "ldu" || name == "ldmatrix";
  bool store = name == "st" || name == "stmatrix";
  bool atomic = name == "atom" || name == "red";
  if (!load && !store && !atomic)
    return name == "mma" || name == "wgmma";
  const auto operand =
      llvm::find_if(instruction.operands, [](const PtxOperand &candidate) { return candidate.address; });
  std::optional<RawAccess> access =
      operand == instruction.operands.end() ? std::nullopt : addressed(call, instruction, *operand);
  if (!access || access->bytes == 0)
    return false;
  if (name == "ldmatrix" || name == "stmatrix") // each address-giving lane names a row of 16 bytes
    access->bytes = access->alignment = 16;
  access->kind = atomic ? AccessKind::Atomic : store ? AccessKind::Write : AccessKind::Read;
  access->resultUsed = name == "atom" && !call.use_empty();
  for (llvm::StringRef part : instruction.opcode)
    if (CombineKind combine = combineNamed(part); atomic && combine != CombineKind::None)
      access->combine = combine;
  accesses.push_back(*access);
  return true;
}

} // namespace

std::string typeText(const llvm::Type *type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type->print(stream);
  return text;
}

RawList assemblyAccesses(const llvm::CallBase &call, bool &known) {
  RawList accesses;
  known = true;
  for (const PtxInstruction &instruction :
       parsePtx(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()))
    known &= addPtx(call, instruction, accesses);
  return accesses;
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
