#include "analysis/ir/Divergence.h"

#include "analysis/ir/InlinePtx.h"
#include "analysis/ir/MathCalls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace warpwright {
namespace {

bool startsWithAny(llvm::StringRef name, llvm::ArrayRef<llvm::StringLiteral> starts) {
  return llvm::any_of(starts, [&](llvm::StringRef start) { return name.starts_with(start); });
}

/// Results that all lanes share although lanes differ in what they give: votes and reductions over the warp
/// or block.
constexpr llvm::StringLiteral sharedResults[] = {"vote.", "redux.", "activemask", "barrier.", "match.all"};
/// Special registers that tell lanes apart. All others are the same for a warp.
constexpr llvm::StringLiteral laneRegisters[] = {"read.ptx.sreg.tid", "read.ptx.sreg.laneid",
                                                 "read.ptx.sreg.lanemask", "read.ptx.sreg.clock",
                                                 "read.ptx.sreg.globaltimer"};

enum class Nature { Divergent, Uniform, OfOperands };

Nature natureOfAssembly(const llvm::CallBase &call) {
  llvm::StringRef text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
  bool arithmetic = !text.contains('%') && llvm::all_of(parsePtx(text), isPtxArithmetic);
  return arithmetic ? Nature::OfOperands : Nature::Divergent;
}

Nature natureOfCall(const llvm::CallBase &call) {
  if (call.isInlineAsm())
    return natureOfAssembly(call);
  if (!mathName(call).empty())
    return Nature::OfOperands;
  const llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  if (!name.consume_front("llvm."))
    return Nature::Divergent;
  if (!name.consume_front("nvvm."))
    return callee->doesNotAccessMemory() ? Nature::OfOperands : Nature::Divergent;
  if (startsWithAny(name, laneRegisters))
    return Nature::Divergent;
  if (startsWithAny(name, sharedResults) || name.starts_with("read.ptx.sreg."))
    return Nature::Uniform;
  if (name.starts_with("internal.addrspace.wrap") || name.starts_with("ldu.") || name.starts_with("ldg."))
    return Nature::OfOperands;
  return Nature::Divergent;
}

/// One address gives all lanes one value, unless each lane has a memory of its own there.
Nature natureOfLoad(const llvm::LoadInst &load) {
  unsigned space = load.getPointerAddressSpace();
  if (space == 5)
    return Nature::Divergent;
  const llvm::Value *object = llvm::getUnderlyingObject(load.getPointerOperand());
  bool isShared = space != 0 || llvm::isa<llvm::Argument, llvm::GlobalVariable>(object);
  return isShared ? Nature::OfOperands : Nature::Divergent;
}

Nature natureOf(const llvm::Instruction &instruction) {
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return natureOfCall(*call);
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return natureOfLoad(*load);
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    return Nature::Divergent;
  return Nature::OfOperands; // the address of a local array is the same number in every lane
}

} // namespace

Divergence::Divergence(llvm::Function &function, llvm::DominatorTree &dominators, const llvm::LoopInfo &loops)
    : dominators_(dominators), loops_(loops) {
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (!instruction.getType()->isVoidTy() && natureOf(instruction) == Nature::Divergent)
      markDivergent(&instruction);
  while (!work_.empty()) {
    const llvm::Instruction *instruction = work_.pop_back_val();
    for (const llvm::User *user : instruction->users()) {
      const auto *next = llvm::dyn_cast<llvm::Instruction>(user);
      if (!next)
        continue;
      if (next->isTerminator())
        markBranch(next->getParent());
      else if (natureOf(*next) == Nature::OfOperands)
        markDivergent(next);
    }
  }
}

void Divergence::markDivergent(const llvm::Instruction *instruction) {
  if (instruction->getType()->isVoidTy() || !divergent_.insert(instruction).second)
    return;
  work_.push_back(instruction);
}

void Divergence::markBranch(const llvm::BasicBlock *block) {
  if (block->getTerminator()->getNumSuccessors() < 2 || !divergentExits_.insert(block).second)
    return;
  markJoins(block);
  for (const llvm::Loop *loop = loops_.getLoopFor(block); loop; loop = loop->getParentLoop())
    if (llvm::any_of(llvm::successors(block),
                     [&](const llvm::BasicBlock *next) { return !loop->contains(next); }))
      markUsesBehind(loop);
}

/// The places where lanes meet again are the iterated dominance frontier of the branch's sides. The header of
/// a loop with one latch is none for a branch inside: lanes that are still in the loop are in the same
/// iteration.
void Divergence::markJoins(const llvm::BasicBlock *block) {
  llvm::SmallPtrSet<llvm::BasicBlock *, 4> sides;
  for (const llvm::BasicBlock *side : llvm::successors(block))
    sides.insert(const_cast<llvm::BasicBlock *>(side));
  llvm::ForwardIDFCalculator frontier(dominators_);
  frontier.setDefiningBlocks(sides);
  llvm::SmallVector<llvm::BasicBlock *, 8> joins;
  frontier.calculate(joins);
  for (const llvm::BasicBlock *side : sides) // both sides may lead straight to one block
    if (llvm::pred_size(side) > 1)
      joins.push_back(const_cast<llvm::BasicBlock *>(side));
  for (const llvm::BasicBlock *join : joins) {
    const llvm::Loop *loop = loops_.getLoopFor(join);
    bool isHeader = loop && loop->getHeader() == join;
    if (isHeader && loop->contains(block) && loop->getLoopLatch())
      continue;
    for (const llvm::PHINode &phi : join->phis())
      if (!phi.hasConstantOrUndefValue())
        markDivergent(&phi);
  }
}

void Divergence::markUsesBehind(const llvm::Loop *loop) {
  if (!loopsLeftApart_.insert(loop).second)
    return;
  for (const llvm::BasicBlock *block : loop->blocks())
    for (const llvm::Instruction &instruction : *block)
      for (const llvm::User *user : instruction.users())
        if (const auto *behind = llvm::dyn_cast<llvm::Instruction>(user); behind && !loop->contains(behind)) {
          if (behind->isTerminator())
            markBranch(behind->getParent());
          else if (natureOf(*behind) == Nature::OfOperands)
            markDivergent(behind);
        }
}

bool Divergence::isDivergentUse(const llvm::Use &use) const {
  if (divergent_.contains(use.get()))
    return true;
  const auto *value = llvm::dyn_cast<llvm::Instruction>(use.get());
  const auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
  if (!value || !user)
    return false;
  for (const llvm::Loop *loop = loops_.getLoopFor(value->getParent()); loop && !loop->contains(user);
       loop = loop->getParentLoop())
    if (loopsLeftApart_.contains(loop))
      return true;
  return false;
}

} // namespace warpwright
