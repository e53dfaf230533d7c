#include "analysis/ir/AccessAnalysis.h"
#include "analysis/ir/InlinePtx.h"

#include <llvm/IR/InlineAsm.h>

namespace warpwright {
namespace {

using RawList = llvm::SmallVector<RawAccess, 2>;

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

RawList assemblyAccesses(const llvm::CallBase &call, bool &known) {
  RawList accesses;
  known = true;
  for (const PtxInstruction &instruction :
       parsePtx(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()))
    known &= addPtx(call, instruction, accesses);
  return accesses;
}

} // namespace warpwright
