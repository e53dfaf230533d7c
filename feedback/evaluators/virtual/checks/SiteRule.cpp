#include "feedback/evaluators/virtual/checks/SiteRule.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace warpwright::vdevice {
namespace {

constexpr uint64_t widestAccess = 16;

uint32_t naturalAlignment(uint64_t bytes) {
  return static_cast<uint32_t>(std::min(widestAccess, bytes ? llvm::bit_floor(bytes) : 1));
}

uint32_t unitOf(const llvm::Instruction &instruction, const llvm::Type *type) {
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  auto *scalar = const_cast<llvm::Type *>(type)->getScalarType();
  return static_cast<uint32_t>(std::max<uint64_t>(1, layout.getTypeStoreSize(scalar).getFixedValue()));
}

/// Alignment in the sense of the device: LLVM's, which says how the access will be cut, and no more than 16.
uint32_t limited(llvm::Align alignment) {
  return static_cast<uint32_t>(std::min<uint64_t>(alignment.value(), widestAccess));
}

void readBlockCopy(const llvm::MemIntrinsic &memory, simt::AccessKind kind, SiteRule &rule) {
  const auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&memory);
  llvm::MaybeAlign alignment =
      transfer && kind == simt::AccessKind::Load ? transfer->getSourceAlign() : memory.getDestAlign();
  rule.alignment = limited(alignment.valueOrOne());
  rule.copiesBlock = transfer != nullptr;
}

} // namespace

SiteRule ruleOf(const Site &site) {
  SiteRule rule;
  rule.atomic = site.kind == simt::AccessKind::Atomic;
  rule.reads = rule.atomic || site.kind == simt::AccessKind::Load;
  rule.writes = rule.atomic || site.kind == simt::AccessKind::Store;
  rule.alignment = naturalAlignment(site.bytes);
  rule.unitBytes = std::clamp<uint32_t>(site.bytes, 1, 4);
  if (!site.instruction)
    return rule;
  const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(site.instruction);
  rule.isLock = llvm::isa<llvm::AtomicCmpXchgInst>(site.instruction) ||
                (update && update->getOperation() == llvm::AtomicRMWInst::Xchg);
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(site.instruction)) {
    rule.alignment = limited(load->getAlign());
    rule.unitBytes = unitOf(*load, load->getType());
    rule.isVolatile = load->isVolatile() || load->isAtomic();
  } else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(site.instruction)) {
    rule.alignment = limited(store->getAlign());
    rule.isVolatile = store->isVolatile() || store->isAtomic();
    rule.storesConstant = llvm::isa<llvm::Constant>(store->getValueOperand());
  } else if (const auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(site.instruction)) {
    readBlockCopy(*memory, site.kind, rule);
  }
  return rule;
}

} // namespace warpwright::vdevice
