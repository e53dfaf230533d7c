#include "analysis/ir/BranchAnalysis.h"

#include "analysis/ir/SynchronisationAnalysis.h"

#include <llvm/IR/PatternMatch.h>

namespace warpwright {
namespace {

/// Blocks that run only when control took this edge.
llvm::SmallVector<const llvm::BasicBlock *> blocksBehind(const KernelView &view, const llvm::BasicBlock *from,
                                                         const llvm::BasicBlock *to) {
  llvm::SmallVector<const llvm::BasicBlock *> blocks;
  llvm::BasicBlockEdge edge(from, to);
  for (const llvm::BasicBlock &block : view.function)
    if (view.dominators.isReachableFromEntry(&block) && view.dominators.dominates(edge, &block))
      blocks.push_back(&block);
  return blocks;
}

unsigned countInstructions(llvm::ArrayRef<const llvm::BasicBlock *> blocks) {
  unsigned count = 0;
  for (const llvm::BasicBlock *block : blocks)
    for (const llvm::Instruction &instruction : *block)
      count += !instruction.isTerminator() && !instruction.isDebugOrPseudoInst() &&
               !llvm::isa<llvm::PHINode>(instruction);
  return count;
}

/// The conditions that all hold when `condition` does.
void conjuncts(const llvm::Value *condition, llvm::SmallVectorImpl<const llvm::Value *> &parts) {
  using namespace llvm::PatternMatch;
  const llvm::Value *left = nullptr, *right = nullptr;
  if (const auto *freeze = llvm::dyn_cast<llvm::FreezeInst>(condition))
    return conjuncts(freeze->getOperand(0), parts);
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))) {
    conjuncts(left, parts);
    conjuncts(right, parts);
    return;
  }
  parts.push_back(condition);
}

bool isScalar(const Expression &expression) {
  return !expression.mentions(
      [](const Symbol &symbol) { return symbol.variesByThread() || symbol.dataDependent; });
}

/// `index < n` with a side that only scalars make up: what keeps threads off the end of a buffer.
bool comparesIndexWithScalar(SymbolicValues &values, const llvm::Value *condition) {
  llvm::SmallVector<const llvm::Value *> parts;
  using namespace llvm::PatternMatch;
  const llvm::Value *left = nullptr, *right = nullptr;
  if (match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    return comparesIndexWithScalar(values, left) && comparesIndexWithScalar(values, right);
  conjuncts(condition, parts);
  return llvm::all_of(parts, [&](const llvm::Value *part) {
    const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(part);
    if (!compare || compare->isEquality() || !compare->getOperand(0)->getType()->isIntegerTy())
      return false;
    Expression a = values.integer(compare->getOperand(0), Reading::Signed).value;
    Expression b = values.integer(compare->getOperand(1), Reading::Signed).value;
    auto fromData = [](const Symbol &symbol) { return symbol.dataDependent; };
    return (isScalar(a) || isScalar(b)) && !a.mentions(fromData) && !b.mentions(fromData);
  });
}

/// The thread axes that `a == b` leaves no choice in. `x == 0`, and `x | y == 0` or `x + y * w == 0` for
/// indices that are not negative, so that each must be zero.
void fixAxes(SymbolicValues &values, const llvm::ICmpInst &compare, bool (&fixed)[3]) {
  Expression difference = values.integer(compare.getOperand(0), Reading::Signed).value -
                          values.integer(compare.getOperand(1), Reading::Signed).value;
  llvm::SmallVector<const Symbol *> varying;
  difference.forEachSymbol([&](const Symbol *symbol) {
    if (symbol->variesByThread())
      varying.push_back(symbol);
  });
  if (varying.size() == 1 && varying.front()->kind == SymbolKind::ThreadIndex &&
      difference.coefficient(varying.front())) {
    fixed[varying.front()->index] = true;
    return;
  }
  bool sumOfIndices =
      difference.constantPart() == 0 && llvm::all_of(difference.terms(), [](const auto &term) {
        return term.second > 0 &&
               llvm::all_of(term.first, [](const Symbol *symbol) { return !symbol->mayBeNegative; });
      });
  if (sumOfIndices)
    for (const Symbol *symbol : varying)
      if (symbol->kind == SymbolKind::ThreadIndex)
        fixed[symbol->index] = true;
  // Bits of several indices joined: all are zero when the result is.
  const auto *joined = llvm::dyn_cast<llvm::BinaryOperator>(compare.getOperand(0));
  const auto *zero = llvm::dyn_cast<llvm::ConstantInt>(compare.getOperand(1));
  if (!joined || joined->getOpcode() != llvm::Instruction::Or || !zero || !zero->isZero())
    return;
  llvm::SmallVector<const llvm::Value *> work{joined};
  while (!work.empty()) {
    const llvm::Value *value = work.pop_back_val();
    if (const auto *inner = llvm::dyn_cast<llvm::BinaryOperator>(value);
        inner && inner->getOpcode() == llvm::Instruction::Or) {
      work.append({inner->getOperand(0), inner->getOperand(1)});
      continue;
    }
    Expression part = values.integer(value, Reading::Signed).value;
    for (unsigned axis = 0; axis < 3; ++axis)
      fixed[axis] |= part == Expression(values.threadIndex(axis));
  }
}

struct Fixing {
  bool axes[3] = {};
  bool any() const { return axes[0] || axes[1] || axes[2]; }
};

/// What is fixed on the side of `branch` where its condition is `value`.
Fixing fixedWhen(SymbolicValues &values, const llvm::Value *condition, bool value) {
  Fixing fixing;
  llvm::SmallVector<const llvm::Value *> parts;
  if (value)
    conjuncts(condition, parts);
  else
    parts.push_back(condition);
  for (const llvm::Value *part : parts) {
    const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(part);
    bool equal =
        compare && compare->getPredicate() == (value ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE);
    if (equal && compare->getOperand(0)->getType()->isIntegerTy())
      fixAxes(values, *compare, fixing.axes);
  }
  if (value)
    return fixing;
  // The false side of `a || b` has both false.
  using namespace llvm::PatternMatch;
  const llvm::Value *left = nullptr, *right = nullptr;
  if (match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    for (const llvm::Value *part : {left, right}) {
      Fixing inner = fixedWhen(values, part, false);
      for (unsigned axis = 0; axis < 3; ++axis)
        fixing.axes[axis] |= inner.axes[axis];
    }
  return fixing;
}

/// Behind the branch, on every way to the end, stands a barrier.
bool barrierFollows(const KernelView &view, const llvm::BasicBlock *branching) {
  for (const auto *node = view.postDominators.getNode(branching); node; node = node->getIDom()) {
    const llvm::BasicBlock *block = node->getBlock();
    if (block && block != branching && llvm::any_of(*block, isBlockBarrier))
      return true;
  }
  return false;
}

bool leavesLoop(const KernelView &view, const llvm::BasicBlock &block) {
  const llvm::Loop *loop = view.loopInfo.getLoopFor(&block);
  return loop && loop->isLoopExiting(&block);
}

DivergentBranch describeBranch(SymbolicValues &values, const llvm::BasicBlock &block) {
  const KernelView &view = values.view();
  const llvm::Instruction &terminator = *block.getTerminator();
  const llvm::Value *condition = terminator.getOperand(0);
  DivergentBranch fact;
  fact.place = view.placeOf(terminator);
  if (const auto *source = llvm::dyn_cast<llvm::Instruction>(condition); source && !fact.place.place.known())
    fact.place = view.placeOf(*source);
  fact.condition =
      condition->getType()->isIntegerTy(1) ? values.conditionText(condition) : values.valueText(condition);
  Symbol traits = values.dependences(condition);
  std::copy(std::begin(traits.threadAxes), std::end(traits.threadAxes), fact.threadAxes);
  fact.dataDependent = traits.dataDependent;
  fact.loopExit = leavesLoop(view, block);
  fact.loop = view.loopAround(&block);
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(&terminator);
  if (!branch)
    return fact;
  fact.instructionsTaken = countInstructions(blocksBehind(view, &block, branch->getSuccessor(0)));
  fact.instructionsNotTaken = countInstructions(blocksBehind(view, &block, branch->getSuccessor(1)));
  fact.boundsGuard = !fact.loopExit && (fact.instructionsTaken == 0 || fact.instructionsNotTaken == 0) &&
                     comparesIndexWithScalar(values, condition);
  return fact;
}

} // namespace

std::vector<DivergentBranch> analyseBranches(SymbolicValues &values) {
  std::vector<DivergentBranch> facts;
  for (const llvm::BasicBlock *block : values.view().blocks()) {
    if (!values.view().uniformity.hasDivergentTerminator(*block))
      continue;
    DivergentBranch fact = describeBranch(values, *block);
    fact.id = facts.size();
    facts.push_back(std::move(fact));
  }
  return facts;
}

std::vector<SingleThreadSection> analyseSections(SymbolicValues &values, AccessList &accesses) {
  const KernelView &view = values.view();
  std::vector<SingleThreadSection> facts;
  for (const llvm::BasicBlock *block : view.blocks()) {
    const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned side = 0; side < 2; ++side) {
      Fixing fixing = fixedWhen(values, branch->getCondition(), side == 0);
      llvm::SmallVector<const llvm::BasicBlock *> blocks;
      if (fixing.any())
        blocks = blocksBehind(view, block, branch->getSuccessor(side));
      if (countInstructions(blocks) == 0)
        continue;
      SingleThreadSection fact;
      fact.id = facts.size();
      fact.place = view.placeOf(*branch);
      fact.condition = values.conditionText(branch->getCondition());
      if (side == 1)
        fact.condition = "!(" + fact.condition + ")";
      std::copy(std::begin(fixing.axes), std::end(fixing.axes), fact.fixedAxes);
      fact.instructions = countInstructions(blocks);
      for (const llvm::BasicBlock *inside : blocks) {
        const llvm::Loop *loop = view.loopInfo.getLoopFor(inside);
        if (loop && loop->getHeader() == inside && !loop->contains(block))
          fact.loops.push_back(view.idOf(loop));
        for (const llvm::Instruction &instruction : *inside)
          for (unsigned access : accesses.ofInstruction.lookup(&instruction)) {
            fact.accesses.push_back(access);
            accesses.accesses[access].singleThreadSections.push_back(fact.id);
          }
      }
      fact.barrierFollows = barrierFollows(view, block);
      facts.push_back(std::move(fact));
    }
  }
  return facts;
}

} // namespace warpwright
