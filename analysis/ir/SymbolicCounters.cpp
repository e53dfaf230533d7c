#include "analysis/ir/SymbolTraits.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace warpwright {

/// Named after the loop's variable: `i` where that counts 0, 1, 2, ..., `iter(i)` where it does not.
const Symbol *SymbolicValues::loopCounter(const llvm::Loop *loop) {
  unsigned id = view_.idOf(loop);
  if (const Symbol *known = table_.find(SymbolKind::LoopCounter, id))
    return known;
  Symbol symbol;
  symbol.kind = SymbolKind::LoopCounter;
  symbol.index = id;
  symbol.mayBeNegative = false;
  symbol.text = "iter(" + std::to_string(id) + ")";
  for (const llvm::PHINode &phi : loop->getHeader()->phis()) {
    if (!view_.evolution.isSCEVable(phi.getType()))
      continue;
    const auto *recurrence =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(view_.evolution.getSCEV(const_cast<llvm::PHINode *>(&phi)));
    std::string name = sourceName(phi);
    if (!recurrence || recurrence->getLoop() != loop || name.empty())
      continue;
    bool plain = recurrence->getStart()->isZero() && recurrence->getStepRecurrence(view_.evolution)->isOne();
    symbol.text = plain ? name : "iter(" + name + ")";
    break;
  }
  return table_.intern(std::move(symbol));
}

/// A counter {start, +, step} becomes start + step * iteration. Others, `stride *= 2`, stay opaque.
SymbolicInteger SymbolicValues::computePhi(const llvm::PHINode *phi, Reading reading) {
  if (phi->getNumIncomingValues() == 1)
    return integer(phi->getIncomingValue(0), reading);
  const llvm::Loop *loop = view_.loopInfo.getLoopFor(phi->getParent());
  if (!loop || loop->getHeader() != phi->getParent())
    return opaque(phi);
  llvm::ScalarEvolution &evolution = view_.evolution;
  const auto *recurrence =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(const_cast<llvm::PHINode *>(phi)));
  const llvm::BasicBlock *before = loop->getLoopPredecessor();
  if (!recurrence || !recurrence->isAffine() || recurrence->getLoop() != loop || !before)
    return opaque(phi);
  std::optional<SymbolicInteger> step = fromEvolution(recurrence->getStepRecurrence(evolution));
  if (!step)
    return opaque(phi);
  bool narrow = phi->getType()->getIntegerBitWidth() < 64;
  bool signedExact = recurrence->hasNoSignedWrap(), unsignedExact = recurrence->hasNoUnsignedWrap();
  if (const llvm::BasicBlock *latch = loop->getLoopLatch())
    if (const auto *next =
            llvm::dyn_cast<llvm::OverflowingBinaryOperator>(phi->getIncomingValueForBlock(latch));
        next && llvm::is_contained(next->operands(), phi)) {
      signedExact |= next->hasNoSignedWrap();
      unsignedExact |= next->hasNoUnsignedWrap();
    }
  Reading startReading = reading == Reading::Unsigned && unsignedExact ? Reading::Unsigned : Reading::Signed;
  SymbolicInteger start = integer(phi->getIncomingValueForBlock(before), startReading);
  SymbolicInteger value = combine(start, *step, start.value + step->value * Expression(loopCounter(loop)));
  if (!narrow || (startReading == Reading::Unsigned && unsignedExact))
    return value;
  if (!signedExact)
    value.suppositions |= SymbolicInteger::CounterFits;
  if (reading == Reading::Unsigned && !evolution.isKnownNonNegative(recurrence))
    value.suppositions |= SymbolicInteger::NotNegative;
  return value;
}

/// Steps and bounds that exist only as ScalarEvolution's expressions.
std::optional<SymbolicInteger> SymbolicValues::fromEvolution(const llvm::SCEV *expression) {
  if (const auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(expression))
    return SymbolicInteger{Expression(constant->getAPInt().trySExtValue().value_or(0))};
  if (const auto *unknown = llvm::dyn_cast<llvm::SCEVUnknown>(expression))
    return unknown->getType()->isIntegerTy() ? std::optional(integer(unknown->getValue(), Reading::Signed))
                                             : std::nullopt;
  if (const auto *cast = llvm::dyn_cast<llvm::SCEVCastExpr>(expression)) {
    if (llvm::isa<llvm::SCEVPtrToIntExpr>(cast))
      return std::nullopt;
    std::optional<SymbolicInteger> value = fromEvolution(cast->getOperand());
    if (value && llvm::isa<llvm::SCEVTruncateExpr>(cast))
      value->suppositions |= SymbolicInteger::FitsNarrow;
    if (value && llvm::isa<llvm::SCEVZeroExtendExpr>(cast) &&
        !view_.evolution.isKnownNonNegative(cast->getOperand()))
      value->suppositions |= SymbolicInteger::NotNegative;
    return value;
  }
  const auto *nary = llvm::dyn_cast<llvm::SCEVCommutativeExpr>(expression);
  bool isSum = llvm::isa<llvm::SCEVAddExpr>(expression);
  if (!nary || (!isSum && !llvm::isa<llvm::SCEVMulExpr>(expression)))
    return std::nullopt;
  SymbolicInteger result{Expression(isSum ? 0 : 1)};
  for (const llvm::SCEV *operand : nary->operands()) {
    std::optional<SymbolicInteger> value = fromEvolution(operand);
    if (!value)
      return std::nullopt;
    result = combine(result, *value, isSum ? result.value + value->value : result.value * value->value);
  }
  if (!nary->hasNoSignedWrap() && expression->getType()->getIntegerBitWidth() < 64)
    result.suppositions |= SymbolicInteger::NoWrap;
  return result;
}

SymbolicInteger SymbolicValues::leaveLoops(SymbolicInteger value, const llvm::Instruction &user) {
  llvm::SmallVector<const Symbol *> left;
  value.value.forEachSymbol([&](const Symbol *symbol) {
    if (symbol->kind == SymbolKind::LoopCounter && !view_.loops()[symbol->index]->contains(&user))
      left.push_back(symbol);
  });
  for (const Symbol *counter : left) {
    const llvm::Loop *loop = view_.loops()[counter->index];
    Symbol traits;
    traits.mayBeNegative = false;
    setAllThreadAxes(traits);
    setAllBlockAxes(traits);
    for (const llvm::Loop *outer = loop->getParentLoop(); outer; outer = outer->getParentLoop())
      traits.loops.push_back(view_.idOf(outer));
    const Symbol *last =
        makeOpaque("last " + counter->text, "last " + std::to_string(counter->index), traits);
    value.value = value.value.substitute(counter, Expression(last));
  }
  return value;
}

} // namespace warpwright
