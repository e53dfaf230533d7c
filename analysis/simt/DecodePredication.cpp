#include "analysis/simt/Decoder.h"
#include "analysis/simt/Math.h"

#include <llvm/IR/CFG.h>

namespace warpwright::simt {

/// The body of an if without else, whose join does more than return: `if (c) { body } rest`. Where nothing
/// follows but the return, ptxas ends the other lanes instead.
bool Decoder::isGuarded(const llvm::BasicBlock &block) const {
  const llvm::BasicBlock *guard = block.getSinglePredecessor();
  const llvm::BasicBlock *join = block.getSingleSuccessor();
  if (!guard || !join || join == &block || guard == join)
    return false;
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(guard->getTerminator());
  if (!branch || !branch->isConditional())
    return false;
  bool skips = branch->getSuccessor(0) == join || branch->getSuccessor(1) == join;
  return skips && !llvm::isa<llvm::ReturnInst>(*join->getFirstNonPHIOrDbg());
}

/// Straight code of moderate length. Divisions and special functions bring branches of their own (their slow
/// paths), calls and barriers cannot be predicated. Bodies of up to four guarded copies were seen predicated
/// by ptxas 13.0 for sm_90.
bool Decoder::fitsPredicate(const Block &block) const {
  constexpr uint32_t longest = 40;
  if (block.last - block.first > longest)
    return false;
  for (uint32_t i = block.first; i < block.last; ++i) {
    const Instruction &instruction = code_.instructions[i];
    bool divides = instruction.op == Op::FDiv || instruction.op == Op::FRem ||
                   (instruction.kind == InstructionClass::IntegerDivision && instruction.bits > 32);
    bool isFunction = instruction.op == Op::Math && instruction.kind == InstructionClass::SpecialFunction;
    bool isBarrier = instruction.op == Op::Call || instruction.op == Op::Barrier ||
                     instruction.op == Op::LaneExchange || instruction.op == Op::Exit;
    if (divides || isFunction || isBarrier)
      return false;
  }
  return true;
}

void Decoder::markPredicated() {
  for (const llvm::BasicBlock &block : function_) {
    Block &decoded = code_.blocks[blockNumbers_[&block]];
    decoded.predicated = isGuarded(block) && fitsPredicate(decoded);
  }
}

} // namespace warpwright::simt
