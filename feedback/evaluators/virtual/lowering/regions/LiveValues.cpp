#include "feedback/evaluators/virtual/lowering/regions/LiveValues.h"

#include "feedback/evaluators/virtual/lowering/Waiting.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

namespace warpwright::vdevice {
namespace {

/// Instructions that are computed again rather than stored for each thread and loaded.
constexpr unsigned cheapInstructions = 8;

/// Reads of what does not change, and what is computed from operands alone and cannot fail.
bool isPure(const llvm::Instruction &instruction) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return !load->isVolatile() && readsFixed(*load);
  return !llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory() && llvm::isSafeToSpeculativelyExecute(&instruction);
}

} // namespace

bool LiveValues::isHoistable(const llvm::Instruction &instruction) const {
  if (!uniformity_.isUniform(instruction) || !isPure(instruction))
    return false;
  if (llvm::isa<llvm::LoadInst>(instruction) && contextOffset(llvm::cast<llvm::LoadInst>(instruction)))
    return true;
  return llvm::all_of(instruction.operands(), [&](const llvm::Use &operand) {
    auto *value = llvm::dyn_cast<llvm::Instruction>(operand.get());
    return value ? cut_.hoisted.contains(value) : llvm::isa<llvm::Constant>(operand.get());
  });
}

void LiveValues::findHoistable() {
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function_))
    for (llvm::Instruction &instruction : *block)
      if (isHoistable(instruction))
        cut_.hoisted.insert(&instruction);
}

void LiveValues::storePhis(llvm::BasicBlock &block) {
  llvm::SmallVector<llvm::PHINode *> phis;
  for (llvm::PHINode &phi : block.phis())
    phis.push_back(&phi);
  for (llvm::PHINode *phi : phis) {
    if (phi->use_empty()) {
      phi->eraseFromParent();
      continue;
    }
    bool uniform = uniformity_.isUniform(*phi);
    // The value where it is used, and the value where the ways meet: two variables, as phis swap.
    if (llvm::AllocaInst *used = llvm::DemoteRegToStack(*phi))
      cut_.slots[used] = uniform;
    if (llvm::AllocaInst *incoming = llvm::DemotePHIToStack(phi))
      cut_.slots[incoming] = uniform;
  }
}

bool LiveValues::livesAcross(const llvm::Instruction &instruction,
                             const llvm::DominatorTree &dominators) const {
  const llvm::BasicBlock *defined = instruction.getParent();
  for (const llvm::Use &use : instruction.uses()) {
    const auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    const auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    const llvm::BasicBlock *used = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (used == defined && !phi)
      continue;
    if (cut_.cuts.contains(const_cast<llvm::BasicBlock *>(used)) ||
        cut_.cuts.contains(const_cast<llvm::BasicBlock *>(defined)))
      return true;
    for (const Region &region : cut_.regions) {
      bool comesAfter = region.start != defined && dominators.dominates(defined, region.start);
      if (comesAfter && region.blocks.contains(const_cast<llvm::BasicBlock *>(used)))
        return true;
    }
  }
  return false;
}

bool LiveValues::isCheap(const llvm::Value &value, unsigned &budget) const {
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || cut_.hoisted.contains(const_cast<llvm::Instruction *>(instruction)))
    return true;
  if (budget == 0 || !isPure(*instruction))
    return false;
  --budget;
  return llvm::all_of(instruction->operands(),
                      [&](const llvm::Use &operand) { return isCheap(*operand.get(), budget); });
}

llvm::Value *LiveValues::copy(llvm::Value &value, llvm::Instruction &before) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || cut_.hoisted.contains(instruction))
    return &value;
  llvm::Instruction *copied = instruction->clone();
  for (llvm::Use &operand : copied->operands())
    operand.set(copy(*operand.get(), before));
  copied->insertBefore(before.getIterator());
  return copied;
}

void LiveValues::computeAgain(llvm::Instruction &instruction) const {
  for (llvm::Use &use : llvm::make_early_inc_range(instruction.uses())) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    if (!phi && user->getParent() == instruction.getParent())
      continue;
    llvm::Instruction *before = phi ? phi->getIncomingBlock(use)->getTerminator() : user;
    llvm::Value *again = copy(instruction, *before);
    use.set(again);
    if (!phi)
      continue;
    // A block that comes in more than once brings one value.
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      if (phi->getIncomingBlock(i) == before->getParent())
        phi->setIncomingValue(i, again);
  }
}

/// Values that a cut itself uses are always stored, so that cuts hold nothing but themselves and loads.
void LiveValues::storeAcrossCuts() {
  llvm::DominatorTree dominators(function_);
  llvm::SmallVector<llvm::Instruction *> living;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    bool stays = llvm::isa<llvm::AllocaInst>(instruction) || cut_.hoisted.contains(&instruction);
    if (!stays && livesAcross(instruction, dominators))
      living.push_back(&instruction);
  }
  // Later ones first: what is computed again may be so from what lives across, too.
  for (llvm::Instruction *instruction : llvm::reverse(living)) {
    bool usedByCut = llvm::any_of(instruction->users(), [&](llvm::User *user) {
      return cut_.cuts.contains(llvm::cast<llvm::Instruction>(user)->getParent());
    });
    unsigned budget = cheapInstructions;
    if (!usedByCut && isCheap(*instruction, budget)) {
      computeAgain(*instruction);
      continue;
    }
    bool uniform = uniformity_.isUniform(*instruction);
    if (llvm::AllocaInst *slot = llvm::DemoteRegToStack(*instruction))
      cut_.slots[slot] = uniform;
  }
}

} // namespace warpwright::vdevice
