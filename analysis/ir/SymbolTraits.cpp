#include "analysis/ir/SymbolTraits.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace warpwright {

void addTraits(Symbol &to, const Symbol &from) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    to.threadAxes[axis] |= from.threadAxes[axis];
    to.blockAxes[axis] |= from.blockAxes[axis];
  }
  to.dataDependent |= from.dataDependent;
  if (from.kind == SymbolKind::LoopCounter && !llvm::is_contained(to.loops, from.index))
    to.loops.push_back(from.index);
  for (unsigned loop : from.loops)
    if (!llvm::is_contained(to.loops, loop))
      to.loops.push_back(loop);
}

void setAllThreadAxes(Symbol &symbol) {
  std::fill(std::begin(symbol.threadAxes), std::end(symbol.threadAxes), true);
}
void setAllBlockAxes(Symbol &symbol) {
  std::fill(std::begin(symbol.blockAxes), std::end(symbol.blockAxes), true);
}

std::optional<std::pair<SymbolKind, unsigned>> specialRegister(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return {{SymbolKind::ThreadIndex, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return {{SymbolKind::ThreadIndex, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return {{SymbolKind::ThreadIndex, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return {{SymbolKind::BlockIndex, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return {{SymbolKind::BlockIndex, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return {{SymbolKind::BlockIndex, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return {{SymbolKind::BlockExtent, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return {{SymbolKind::BlockExtent, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return {{SymbolKind::BlockExtent, 2}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return {{SymbolKind::GridExtent, 0}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return {{SymbolKind::GridExtent, 1}};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return {{SymbolKind::GridExtent, 2}};
  default:
    return std::nullopt;
  }
}

/// Follows operands up to a limit; what is too much to follow counts as depending on everything.
Symbol SymbolicValues::dependences(const llvm::Value *value) const {
  constexpr unsigned furthest = 64;
  Symbol traits;
  llvm::SmallVector<const llvm::Value *> work{value};
  llvm::SmallPtrSet<const llvm::Value *, 32> seen;
  while (!work.empty() && seen.size() <= furthest) {
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second)
      continue;
    const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
    if (auto special = intrinsic ? specialRegister(intrinsic->getIntrinsicID()) : std::nullopt) {
      traits.threadAxes[special->second] |= special->first == SymbolKind::ThreadIndex;
      traits.blockAxes[special->second] |= special->first == SymbolKind::BlockIndex;
      continue;
    }
    traits.dataDependent |= instruction->mayReadOrWriteMemory() && !isByValueLoad(instruction);
    work.append(instruction->value_op_begin(), instruction->value_op_end());
  }
  bool lost = !work.empty();
  traits.dataDependent |= lost;
  if (isUniform(view_, value))
    std::fill(std::begin(traits.threadAxes), std::end(traits.threadAxes), false);
  else if (lost || !traits.variesByThread())
    setAllThreadAxes(traits);
  if (traits.dataDependent)
    setAllBlockAxes(traits);
  return traits;
}

bool SymbolicValues::isByValueLoad(const llvm::Instruction *instruction) const {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction);
  return load && byValueMember(load->getPointerOperand());
}

} // namespace warpwright
