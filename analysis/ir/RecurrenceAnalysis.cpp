#include "analysis/ir/RecurrenceAnalysis.h"

#include "analysis/ir/DependenceChains.h"
#include "analysis/ir/MathCalls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

using Members = CycleMembers;

/// Everything on a way from `phi` round the loop back to it.
Members cycleThrough(const llvm::PHINode &phi, const llvm::Loop &loop) {
  llvm::SmallPtrSet<const llvm::Instruction *, 32> reached{&phi};
  llvm::SmallVector<const llvm::Instruction *> work{&phi};
  while (!work.empty())
    for (const llvm::User *user : work.pop_back_val()->users())
      if (const auto *next = llvm::dyn_cast<llvm::Instruction>(user);
          next && loop.contains(next) && next != &phi && reached.insert(next).second)
        work.push_back(next);
  Members members;
  llvm::SmallVector<const llvm::BasicBlock *> latches;
  for (const llvm::BasicBlock *before : phi.blocks())
    if (loop.contains(before))
      latches.push_back(before);
  for (const llvm::BasicBlock *latch : latches)
    if (const auto *last = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(latch));
        last && reached.contains(last) && members.insert(last))
      work.push_back(last);
  while (!work.empty()) {
    const llvm::Instruction *next = work.pop_back_val();
    if (next == &phi)
      continue;
    for (const llvm::Use &operand : next->operands())
      if (const auto *before = llvm::dyn_cast<llvm::Instruction>(operand);
          before && reached.contains(before) && members.insert(before))
        work.push_back(before);
  }
  return members;
}

CombineKind combineOfCall(const llvm::CallBase &call) {
  llvm::StringRef name = call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
  if (name.starts_with("llvm.fma") || name.starts_with("llvm.fmuladd") || name == "__nv_fmaf" ||
      name == "__nv_fma")
    return CombineKind::Sum;
  std::string math = mathName(call);
  if (name.starts_with("llvm.max") || name.starts_with("llvm.smax") || name.starts_with("llvm.umax") ||
      llvm::StringRef(math).starts_with("fmax") || math == "max" || math == "umax")
    return CombineKind::Max;
  if (name.starts_with("llvm.min") || name.starts_with("llvm.smin") || name.starts_with("llvm.umin") ||
      llvm::StringRef(math).starts_with("fmin") || math == "min" || math == "umin")
    return CombineKind::Min;
  return CombineKind::None;
}

/// What a member of a cycle does to the carried value; None when that is no associative operation.
CombineKind combineOf(const llvm::Instruction &instruction, const Members &members) {
  auto carried = [&](unsigned operand) {
    const auto *value = llvm::dyn_cast<llvm::Instruction>(instruction.getOperand(operand));
    return value && members.contains(value);
  };
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    CombineKind kind = combineOfCall(*call);
    bool factorCarried = kind == CombineKind::Sum && (carried(0) || carried(1));
    return factorCarried || (kind != CombineKind::Sum && carried(0) && carried(1)) ? CombineKind::None : kind;
  }
  if (!llvm::isa<llvm::BinaryOperator>(instruction) || (carried(0) && carried(1)))
    return CombineKind::None;
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Add:
  case llvm::Instruction::FAdd:
    return CombineKind::Sum;
  case llvm::Instruction::Sub:
  case llvm::Instruction::FSub:
    return carried(0) ? CombineKind::Sum : CombineKind::None;
  case llvm::Instruction::Mul:
  case llvm::Instruction::FMul:
    return CombineKind::Product;
  case llvm::Instruction::And:
    return CombineKind::And;
  case llvm::Instruction::Or:
    return CombineKind::Or;
  case llvm::Instruction::Xor:
    return CombineKind::Xor;
  default:
    return CombineKind::None;
  }
}

/// `a < b ? a : b` where the compare looks at exactly what is chosen from.
CombineKind minOrMax(const llvm::SelectInst &select) {
  const auto *compare = llvm::dyn_cast<llvm::CmpInst>(select.getCondition());
  if (!compare)
    return CombineKind::None;
  const llvm::Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  bool straight = select.getTrueValue() == a && select.getFalseValue() == b;
  bool swapped = select.getTrueValue() == b && select.getFalseValue() == a;
  if (!straight && !swapped)
    return CombineKind::None;
  using llvm::CmpInst;
  switch (compare->getPredicate()) {
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_UGE:
    return straight ? CombineKind::Max : CombineKind::Min;
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
  case CmpInst::FCMP_ULT:
  case CmpInst::FCMP_ULE:
    return straight ? CombineKind::Min : CombineKind::Max;
  default:
    return CombineKind::None;
  }
}

/// The value stays as it was on one of the ways that meet here. The merge behind an inner loop that may not
/// run is none.
bool isConditionalMerge(const llvm::PHINode &merge, const Members &members, const KernelView &view) {
  const llvm::Loop *own = view.loopInfo.getLoopFor(merge.getParent());
  if (own && own->getHeader() == merge.getParent())
    return false;
  for (const llvm::BasicBlock *before : merge.blocks())
    if (view.loopInfo.getLoopFor(before) != own)
      return false;
  return llvm::any_of(merge.incoming_values(), [&](const llvm::Use &incoming) {
    const auto *value = llvm::dyn_cast<llvm::Instruction>(incoming);
    return value && members.contains(value) &&
           view.dominators.dominates(value->getParent(), merge.getParent());
  });
}

std::optional<Reduction> reductionThrough(const KernelView &view, const llvm::PHINode &phi,
                                          const llvm::Loop &loop, const Members &members) {
  Reduction fact;
  fact.kind = CombineKind::None;
  for (const llvm::Instruction *member : members) {
    CombineKind kind = CombineKind::None;
    if (const auto *merge = llvm::dyn_cast<llvm::PHINode>(member)) {
      fact.conditional |= merge != &phi && isConditionalMerge(*merge, members, view);
      continue;
    }
    if (const auto *select = llvm::dyn_cast<llvm::SelectInst>(member)) {
      kind = minOrMax(*select);
      const auto *condition = llvm::dyn_cast<llvm::Instruction>(select->getCondition());
      if (kind == CombineKind::None && condition && members.contains(condition))
        return std::nullopt;
      fact.conditional |= kind == CombineKind::None;
      if (kind == CombineKind::None)
        continue;
    } else if (llvm::isa<llvm::CmpInst>(member)) {
      continue; // only selects read it, or its use below is outside of the cycle
    } else {
      kind = combineOf(*member, members);
      if (kind == CombineKind::None)
        return std::nullopt;
    }
    if (fact.kind != CombineKind::None && fact.kind != kind)
      return std::nullopt;
    fact.kind = kind;
    fact.place = view.placeOf(*member);
  }
  for (const llvm::Instruction *member : members)
    for (const llvm::User *user : member->users())
      if (const auto *reader = llvm::dyn_cast<llvm::Instruction>(user);
          reader && loop.contains(reader) && !members.contains(reader))
        return std::nullopt; // a partial result is looked at: no order but this one will do
  if (fact.kind == CombineKind::None)
    return std::nullopt;
  fact.loop = view.idOf(&loop);
  fact.type = typeText(phi.getType());
  fact.floatingPoint = phi.getType()->getScalarType()->isFloatingPointTy();
  return fact;
}

bool isCounter(const KernelView &view, const llvm::PHINode &phi) {
  return view.evolution.isSCEVable(phi.getType()) &&
         llvm::isa<llvm::SCEVAddRecExpr>(view.evolution.getSCEV(const_cast<llvm::PHINode *>(&phi)));
}

/// A value kept in memory: `*p = *p + x` at an address that the loop does not change.
void addMemoryReductions(SymbolicValues &values, const AccessList &list, Recurrences &facts) {
  const KernelView &view = values.view();
  for (const llvm::Instruction &instruction : llvm::instructions(view.function)) {
    const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    llvm::SmallVector<unsigned, 2> ids = list.ofInstruction.lookup(&instruction);
    if (!store || ids.empty() || !list.accesses[ids.front()].invariantInLoop)
      continue;
    const MemoryAccess &write = list.accesses[ids.front()];
    const auto *operation = llvm::dyn_cast<llvm::Instruction>(store->getValueOperand());
    if (!operation || !write.object.known() || !write.offset.known())
      continue;
    for (const llvm::Use &operand : operation->operands()) {
      const auto *load = llvm::dyn_cast<llvm::LoadInst>(operand);
      auto found = load ? list.ofInstruction.find(load) : list.ofInstruction.end();
      if (found == list.ofInstruction.end())
        continue;
      const MemoryAccess &read = list.accesses[found->second.front()];
      bool same = read.loop == write.loop && read.object.known() && read.offset.known() &&
                  read.object.value() == write.object.value() && read.offset.value() == write.offset.value();
      Members loadOnly;
      loadOnly.insert(load);
      CombineKind kind = combineOf(*operation, loadOnly);
      if (!same || kind == CombineKind::None)
        continue;
      Reduction fact;
      fact.loop = *write.loop;
      fact.place = view.placeOf(*store);
      fact.kind = kind;
      fact.type = typeText(operation->getType());
      fact.floatingPoint = operation->getType()->getScalarType()->isFloatingPointTy();
      const llvm::BasicBlock *latch = view.loops()[*write.loop]->getLoopLatch();
      fact.conditional = latch && !view.dominators.dominates(store->getParent(), latch);
      fact.throughMemory = true;
      facts.reductions.push_back(std::move(fact));
    }
  }
}

} // namespace

Recurrences analyseRecurrences(SymbolicValues &values, const AccessList &accesses) {
  const KernelView &view = values.view();
  Recurrences facts;
  for (const llvm::Loop *loop : view.loops())
    for (const llvm::PHINode &phi : loop->getHeader()->phis()) {
      if (isCounter(view, phi))
        continue;
      Members members = cycleThrough(phi, *loop);
      std::optional<DependenceChain> chain = chainThrough(view, phi, *loop, members);
      if (std::optional<Reduction> reduction = reductionThrough(view, phi, *loop, members)) {
        facts.reductions.push_back(std::move(*reduction));
        if (chain)
          chain->reduction = true;
      }
      if (chain)
        facts.chains.push_back(std::move(*chain));
    }
  addMemoryReductions(values, accesses, facts);
  return facts;
}

} // namespace warpwright
