#include "analysis/ir/TripCount.h"

#include "analysis/ir/GeometricTripCount.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace warpwright {
namespace {

/// The condition under which a loop goes on, as a difference that changes by the same step in every
/// iteration.
struct GoesOn {
  llvm::CmpInst::Predicate predicate; ///< of difference(k) against zero, signed sense
  Expression first;                   ///< the difference in iteration 0
  Expression step;
  unsigned suppositions = 0;
};

std::optional<GoesOn> conditionToGoOn(SymbolicValues &values, const llvm::Loop &loop,
                                      const llvm::BasicBlock *exiting) {
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  const auto *compare =
      branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare)
    return std::nullopt;
  SymbolicInteger left, right;
  if (compare->getOperand(0)->getType()->isIntegerTy()) {
    Reading reading = compare->isUnsigned() && !compare->hasSameSign() ? Reading::Unsigned : Reading::Signed;
    left = values.integerAt(compare->getOperand(0), reading, *compare);
    right = values.integerAt(compare->getOperand(1), reading, *compare);
  } else {
    // A pointer against its end: both must be bytes from the start of one object.
    SymbolicAddress a = values.address(compare->getOperand(0), *compare);
    SymbolicAddress b = values.address(compare->getOperand(1), *compare);
    if (!a.offset || !b.offset || !a.object.known() || !b.object.known() ||
        !(a.object.value() == b.object.value()))
      return std::nullopt;
    left = *a.offset;
    right = *b.offset;
  }
  GoesOn result{
      compare->getPredicate(), left.value - right.value, {}, left.suppositions | right.suppositions};
  if (!loop.contains(branch->getSuccessor(0)))
    result.predicate = llvm::CmpInst::getInversePredicate(result.predicate);
  if (llvm::CmpInst::isUnsigned(result.predicate))
    result.predicate = llvm::ICmpInst::getSignedPredicate(result.predicate);
  const Symbol *counter = values.loopCounter(&loop);
  std::optional<Expression> step = result.first.coefficient(counter);
  if (!step || step->isZero())
    return std::nullopt;
  result.step = *step;
  result.first = result.first.without(counter);
  unsigned id = values.view().idOf(&loop);
  auto changes = [&](const Symbol &symbol) { return llvm::is_contained(symbol.loops, id); };
  if (result.first.mentions(changes) || result.step.mentions(changes) || !result.first.valid())
    return std::nullopt;
  return result;
}

/// Positive for certain: products of block and grid extents with positive constants.
bool isPositive(const Expression &value) {
  return !value.isZero() && llvm::all_of(value.terms(), [](const auto &term) {
    return term.second > 0 && llvm::all_of(term.first, [](const Symbol *symbol) {
             return symbol->kind == SymbolKind::BlockExtent || symbol->kind == SymbolKind::GridExtent;
           });
  });
}

bool isUnit(const Expression &step) {
  return step.asConstant() == 1 || step.asConstant() == -1;
}

/// Iterations k = 0, 1, ... for which the condition holds before it fails first; `suppose` collects what that
/// rests on.
std::optional<Expression> iterationsThatGoOn(SymbolicValues &values, const GoesOn &condition,
                                             bool entryGuarded, bool atLatch,
                                             std::vector<std::string> &suppose) {
  using llvm::CmpInst;
  bool upward = condition.predicate == CmpInst::ICMP_SLT || condition.predicate == CmpInst::ICMP_SLE;
  bool inclusive = condition.predicate == CmpInst::ICMP_SLE || condition.predicate == CmpInst::ICMP_SGE;
  Expression step = condition.step, first = condition.first;
  if (condition.predicate == CmpInst::ICMP_NE) {
    std::optional<int64_t> constant = step.asConstant();
    upward = constant ? *constant > 0 : isPositive(step);
    if (!constant && !upward)
      suppose.push_back("the step is positive");
    if (!constant && !upward)
      upward = true;
    if (!isUnit(step))
      suppose.push_back("the counter meets its bound");
  } else if (condition.predicate == CmpInst::ICMP_EQ) {
    return std::nullopt;
  }
  if (!upward) {
    step = Expression() - step;
    first = Expression() - first;
  }
  if (std::optional<int64_t> constant = step.asConstant(); constant && *constant <= 0)
    return std::nullopt;
  if (!step.asConstant() && !isPositive(step))
    suppose.push_back("the step is positive");
  // first + k * step < 0, with one more allowed when zero goes on as well; the latch test comes after one
  // iteration.
  Expression distance =
      Expression() - first + Expression(int64_t(inclusive)) + (atLatch ? step : Expression());
  Expression count = ceilDivide(values, distance, step);
  if (std::optional<int64_t> constant = count.asConstant())
    return Expression(std::max<int64_t>(*constant, atLatch ? 1 : 0));
  if (!entryGuarded && atLatch)
    suppose.push_back("the condition holds on entry");
  return count;
}

/// A guard before a rotated loop tests for the first time what the latch tests from then on. Without one the
/// body may run once although the bound was passed before.
bool isEntryGuarded(SymbolicValues &values, const llvm::Loop &loop, const llvm::BasicBlock *exiting) {
  llvm::ScalarEvolution &evolution = values.view().evolution;
  const auto *branch = llvm::cast<llvm::BranchInst>(exiting->getTerminator());
  const auto *compare = llvm::cast<llvm::ICmpInst>(branch->getCondition());
  llvm::CmpInst::Predicate goesOn =
      loop.contains(branch->getSuccessor(0)) ? compare->getPredicate() : compare->getInversePredicate();
  // Operands of one sign compare alike in both senses, but only the signed one still holds a step below zero.
  if (compare->hasSameSign())
    goesOn = llvm::ICmpInst::getSignedPredicate(goesOn);
  const auto *counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(compare->getOperand(0)));
  const llvm::SCEV *bound = evolution.getSCEV(compare->getOperand(1));
  if (!counter || counter->getLoop() != &loop || !counter->isAffine() ||
      !evolution.isLoopInvariant(bound, &loop))
    return false;
  const llvm::SCEV *start = counter->getStart(), *step = counter->getStepRecurrence(evolution);
  const llvm::SCEV *first = evolution.getMinusSCEV(start, step);
  llvm::SmallVector<llvm::CmpInst::Predicate> enough{goesOn};
  if (goesOn == llvm::CmpInst::ICMP_NE) {
    bool down = evolution.isKnownNegative(step);
    enough = {down ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_SLT,
              down ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_ULT};
  }
  bool isInteger = bound->getType()->isIntegerTy();
  return llvm::any_of(enough, [&](llvm::CmpInst::Predicate predicate) {
    if (evolution.isLoopEntryGuardedByCond(&loop, predicate, first, bound))
      return true;
    // `i < 24` at the latch is what became of `i + 8 < 32`: the guard stands a step further.
    return isInteger && llvm::CmpInst::isRelational(predicate) &&
           evolution.willNotOverflow(llvm::Instruction::Add, llvm::CmpInst::isSigned(predicate), bound,
                                     step) &&
           evolution.isLoopEntryGuardedByCond(&loop, predicate, start, evolution.getAddExpr(bound, step));
  });
}

} // namespace

Expression ceilDivide(SymbolicValues &values, const Expression &dividend, const Expression &divisor) {
  if (divisor.asConstant() == 1)
    return dividend;
  if (std::optional<int64_t> constant = divisor.asConstant(); constant && *constant > 0) {
    if (std::optional<Expression> quotient = dividend.dividedBy(*constant))
      return *quotient;
    if (std::optional<int64_t> whole = dividend.asConstant())
      return Expression(*whole > 0 ? (*whole - 1) / *constant + 1 : -(-*whole / *constant));
  }
  return Expression(values.derived("ceil_div(" + dividend.text() + ", " + divisor.text() + ")",
                                   {dividend, divisor}, false));
}

Fact<Expression> tripCountOf(SymbolicValues &values, const llvm::Loop &loop) {
  llvm::ScalarEvolution &evolution = values.view().evolution;
  if (unsigned constant = evolution.getSmallConstantTripCount(&loop))
    return Fact<Expression>::proved(Expression(constant));
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  if (exiting.empty())
    return Fact<Expression>::unknown("the loop has no exit");
  if (exiting.size() > 1) {
    unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
    return Fact<Expression>::unknown(
        "the loop has " + std::to_string(exiting.size()) + " exits" +
        (most ? "; it runs at most " + std::to_string(most) + " times" : std::string()));
  }
  std::optional<GoesOn> condition = conditionToGoOn(values, loop, exiting.front());
  bool atLatch = loop.getLoopLatch() == exiting.front();
  bool atHeader = loop.getHeader() == exiting.front();
  if (!condition)
    if (std::optional<Fact<Expression>> geometric = geometricTripCount(values, loop, *exiting.front()))
      return *geometric;
  if (!condition || (!atLatch && !atHeader))
    return Fact<Expression>::unknown("the exit does not compare a counter of constant step with a bound");
  std::vector<std::string> suppose;
  bool guarded = atLatch && isEntryGuarded(values, loop, exiting.front());
  std::optional<Expression> count = iterationsThatGoOn(values, *condition, guarded, atLatch, suppose);
  if (!count || !count->valid())
    return Fact<Expression>::unknown("the counter moves away from its bound");
  bool exactCounter = evolution.hasLoopInvariantBackedgeTakenCount(&loop);
  unsigned suppositions = condition->suppositions;
  if (exactCounter)
    suppositions &= ~SymbolicInteger::CounterFits;
  if (std::string words = describeSuppositions(suppositions); !words.empty())
    suppose.push_back(words);
  if (suppose.empty())
    return Fact<Expression>::proved(*count);
  return Fact<Expression>::assumed(*count, llvm::join(suppose, ", "));
}

std::optional<SymbolicInteger> boundInBody(SymbolicValues &values, const llvm::Loop &loop) {
  const llvm::BasicBlock *exiting = loop.getExitingBlock();
  std::optional<GoesOn> condition = exiting ? conditionToGoOn(values, loop, exiting) : std::nullopt;
  bool atLatch = exiting && loop.getLoopLatch() == exiting;
  if (!condition || (atLatch && !isEntryGuarded(values, loop, exiting)) ||
      (!atLatch && loop.getHeader() != exiting))
    return std::nullopt;
  using llvm::CmpInst;
  CmpInst::Predicate predicate = condition->predicate;
  if (predicate == CmpInst::ICMP_NE)
    predicate = condition->step.asConstant() == -1  ? CmpInst::ICMP_SGT
                : condition->step.asConstant() == 1 ? CmpInst::ICMP_SLT
                                                    : predicate;
  bool upward = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SLE;
  bool downward = predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_SGE;
  if (!upward && !downward)
    return std::nullopt;
  // What the latch tests is the next iteration's difference: the one before it passed the same test.
  Expression difference = condition->first - (atLatch ? condition->step : Expression()) +
                          condition->step * Expression(values.loopCounter(&loop));
  bool strict = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SGT;
  Expression bound = (upward ? difference : Expression() - difference) + Expression(int64_t(strict));
  return SymbolicInteger{std::move(bound), condition->suppositions};
}

} // namespace warpwright
