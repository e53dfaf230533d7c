#include "analysis/ir/GeometricTripCount.h"

#include "analysis/ir/TripCount.h"

#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

using llvm::CmpInst;

/// Factors and bounds above this are no loops that anybody writes, and products of two still fit.
constexpr int64_t largestConstant = int64_t(1) << 30;

/// Multiplication or division of a value by a constant.
struct Scaling {
  const llvm::Value *operand = nullptr;
  int64_t factor = 0;    ///< at least 2
  bool divides = false;  ///< rounded down for operands that are not negative
  bool isSigned = false; ///< of a division: how the operand is read
};

std::optional<Scaling> scalingOf(const llvm::Value *value) {
  const auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  const auto *constant = operation ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
  if (!constant || constant->getBitWidth() > 64 || constant->isNegative())
    return std::nullopt;
  auto amount = static_cast<int64_t>(constant->getZExtValue());
  unsigned opcode = operation->getOpcode();
  bool isShift = operation->isShift();
  if (amount > (isShift ? 30 : largestConstant))
    return std::nullopt;
  Scaling result{operation->getOperand(0), isShift ? int64_t(1) << amount : amount};
  result.divides = opcode != llvm::Instruction::Shl && opcode != llvm::Instruction::Mul;
  result.isSigned = opcode == llvm::Instruction::AShr || opcode == llvm::Instruction::SDiv;
  bool known = isShift || opcode == llvm::Instruction::Mul || opcode == llvm::Instruction::UDiv ||
               opcode == llvm::Instruction::SDiv;
  return known && result.factor >= 2 ? std::optional(result) : std::nullopt;
}

/// A counter that is scaled once a time round, and the test that ends the loop.
struct GeometricTest {
  Scaling scaling;
  const llvm::Value *start = nullptr;
  const llvm::OverflowingBinaryOperator *product = nullptr; ///< none for divisions
  const llvm::ICmpInst *compare = nullptr;
  const llvm::Value *bound = nullptr;
  CmpInst::Predicate goesOn{}; ///< of the counter against the bound
  bool isUnsigned = false;     ///< the sense of goesOn
  bool atLatch = false;        ///< tested behind an iteration, not in front of it
  bool beforeScaling = false;  ///< the latch tests the value this iteration had, not the next one's
};

std::optional<GeometricTest> testOf(const llvm::Loop &loop, const llvm::BasicBlock &exiting) {
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(exiting.getTerminator());
  const auto *compare =
      branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  const llvm::BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPredecessor();
  if (!compare || !latch || !before || (&exiting != latch && &exiting != loop.getHeader()))
    return std::nullopt;
  for (const llvm::PHINode &phi : loop.getHeader()->phis())
    for (unsigned side = 0; side < 2; ++side) {
      const llvm::Value *next = phi.getIncomingValueForBlock(latch), *tested = compare->getOperand(side);
      std::optional<Scaling> scaling = scalingOf(next);
      bool testsNext = tested == next && &exiting == latch;
      if (!scaling || scaling->operand != &phi || (tested != &phi && !testsNext) ||
          !loop.isLoopInvariant(compare->getOperand(1 - side)))
        continue;
      GeometricTest test;
      test.scaling = *scaling;
      test.start = phi.getIncomingValueForBlock(before);
      test.product = scaling->divides ? nullptr : llvm::cast<llvm::OverflowingBinaryOperator>(next);
      test.compare = compare;
      test.bound = compare->getOperand(1 - side);
      test.goesOn = side == 0 ? compare->getPredicate() : compare->getSwappedPredicate();
      if (!loop.contains(branch->getSuccessor(0)))
        test.goesOn = CmpInst::getInversePredicate(test.goesOn);
      test.isUnsigned = CmpInst::isUnsigned(test.goesOn) && !compare->hasSameSign();
      test.atLatch = &exiting == latch;
      test.beforeScaling = test.atLatch && tested == &phi;
      return test;
    }
  return std::nullopt;
}

/// A scaled counter that the exit's condition is computed from in some other way, such as the `i + 1 < 3`
/// that Clang makes of -1 <= i && i <= 1.
std::optional<Scaling> scalingBehind(const llvm::Loop &loop, const llvm::BasicBlock &exiting) {
  constexpr unsigned furthest = 8;
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  const auto *branch = llvm::dyn_cast<llvm::BranchInst>(exiting.getTerminator());
  if (!latch || !branch || !branch->isConditional())
    return std::nullopt;
  llvm::SmallVector<const llvm::Value *> work{branch->getCondition()};
  for (unsigned step = 0; step < furthest && !work.empty(); ++step) {
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (!instruction || !loop.contains(instruction))
      continue;
    const auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction);
    if (!phi && !instruction->mayReadOrWriteMemory())
      work.append(instruction->value_op_begin(), instruction->value_op_end());
    if (!phi || phi->getParent() != loop.getHeader())
      continue;
    std::optional<Scaling> scaling = scalingOf(phi->getIncomingValueForBlock(latch));
    if (scaling && scaling->operand == phi)
      return scaling;
  }
  return std::nullopt;
}

/// j where value is base^j.
std::optional<int64_t> exponentOf(int64_t value, int64_t base) {
  int64_t exponent = 0;
  for (; value > 1 && value % base == 0; value /= base)
    ++exponent;
  return value == 1 ? std::optional(exponent) : std::nullopt;
}

/// floor or ceil of log_base(value), for values of at least one.
Expression roundedLog(SymbolicValues &values, const Expression &value, int64_t base, bool up) {
  if (std::optional<int64_t> constant = value.asConstant()) {
    int64_t exponent = 0;
    for (int64_t rest = *constant; rest >= base; rest /= base)
      ++exponent;
    return Expression(exponent + int64_t(up && !exponentOf(*constant, base)));
  }
  return Expression(values.derived(
      (up ? "ceil(log" : "floor(log") + std::to_string(base) + "(" + value.text() + "))", {value}, false));
}

/// floor(log_base(value / divisor)) for an integer quotient of at least one.
Expression logOfQuotient(SymbolicValues &values, const Expression &value, int64_t divisor, int64_t base) {
  if (std::optional<int64_t> exponent = exponentOf(divisor, base))
    return roundedLog(values, value, base, false) - Expression(*exponent);
  if (std::optional<int64_t> constant = value.asConstant())
    return roundedLog(values, Expression(*constant / divisor), base, false);
  Expression quotient(values.derived(value.factorText() + " / " + std::to_string(divisor), {value}, false));
  return roundedLog(values, quotient, base, false);
}

/// What a trip count rests on.
struct Suppositions {
  unsigned bits = 0;
  std::vector<std::string> words;
};

bool holdsOnEntry(SymbolicValues &values, const llvm::Loop &loop, llvm::ArrayRef<CmpInst::Predicate> enough,
                  const llvm::SCEV *start, const llvm::SCEV *bound) {
  return llvm::any_of(enough, [&](CmpInst::Predicate predicate) {
    return values.view().evolution.isLoopEntryGuardedByCond(&loop, predicate, start, bound);
  });
}

/// start * factor^k < bound, or <=, fails first at the logarithm of their quotient.
std::optional<Expression> iterationsUpTo(SymbolicValues &values, const llvm::Loop &loop,
                                         const GeometricTest &test, Suppositions &suppose) {
  CmpInst::Predicate relation = llvm::ICmpInst::getSignedPredicate(test.goesOn);
  const auto *first = llvm::dyn_cast<llvm::ConstantInt>(test.start);
  if ((relation != CmpInst::ICMP_SLT && relation != CmpInst::ICMP_SLE) || test.beforeScaling || !first ||
      first->isNegative() || first->isZero() || first->getZExtValue() > uint64_t(largestConstant))
    return std::nullopt;
  llvm::ScalarEvolution &evolution = values.view().evolution;
  // The start is positive, so that a signed test on entry is at least as strong as an unsigned one.
  llvm::SmallVector<CmpInst::Predicate, 2> enough{relation};
  if (test.isUnsigned)
    enough.push_back(test.goesOn);
  if (!holdsOnEntry(values, loop, enough, evolution.getSCEV(const_cast<llvm::Value *>(test.start)),
                    evolution.getSCEV(const_cast<llvm::Value *>(test.bound))))
    suppose.words.push_back("the condition holds on entry");
  bool fits = test.product->hasNoSignedWrap() || (test.isUnsigned && test.product->hasNoUnsignedWrap());
  SymbolicInteger bound =
      values.integerAt(test.bound, test.isUnsigned ? Reading::Unsigned : Reading::Signed, *test.compare);
  suppose.bits = bound.suppositions | (fits ? 0u : unsigned(SymbolicInteger::CounterFits));
  auto start = static_cast<int64_t>(first->getZExtValue());
  int64_t base = test.scaling.factor;
  if (relation == CmpInst::ICMP_SLE)
    return logOfQuotient(values, bound.value, start, base) + Expression(1);
  if (std::optional<int64_t> exponent = exponentOf(start, base))
    return roundedLog(values, bound.value, base, true) - Expression(*exponent);
  return roundedLog(values, ceilDivide(values, bound.value, Expression(start)), base, true);
}

/// The smallest value of the counter, at least one, with which the loop goes on.
std::optional<int64_t> smallestThatGoesOn(const GeometricTest &test) {
  const auto *bound = llvm::dyn_cast<llvm::ConstantInt>(test.bound);
  if (!bound || bound->isNegative() || bound->getZExtValue() > uint64_t(largestConstant))
    return std::nullopt;
  auto value = static_cast<int64_t>(bound->getZExtValue());
  CmpInst::Predicate relation = llvm::ICmpInst::getSignedPredicate(test.goesOn);
  bool strict = relation == CmpInst::ICMP_SGT || (relation == CmpInst::ICMP_NE && value == 0);
  if (!strict && relation != CmpInst::ICMP_SGE)
    return std::nullopt;
  value += strict;
  // x >= 4 says of x / 2 that it is at least 2; x >= 5 says nothing as simple.
  if (test.beforeScaling && value % test.scaling.factor != 0)
    return std::nullopt;
  value = test.beforeScaling ? value / test.scaling.factor : value;
  return value >= 1 ? std::optional(value) : std::nullopt;
}

/// start / factor^k >= smallest holds as long as factor^k <= start / smallest.
std::optional<Expression> iterationsDownTo(SymbolicValues &values, const llvm::Loop &loop,
                                           const GeometricTest &test, Suppositions &suppose) {
  std::optional<int64_t> smallest = smallestThatGoesOn(test);
  if (!smallest || test.start->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  llvm::ScalarEvolution &evolution = values.view().evolution;
  const llvm::SCEV *start = evolution.getSCEV(const_cast<llvm::Value *>(test.start));
  const llvm::SCEV *least = evolution.getConstant(start->getType(), *smallest);
  // Behind the first division an unsigned counter is below half of its range; before it only an unsigned test
  // is as good as a signed one.
  bool unsignedEntry = !test.scaling.isSigned && (test.atLatch || test.isUnsigned);
  llvm::SmallVector<CmpInst::Predicate, 2> enough{CmpInst::ICMP_SGE};
  if (unsignedEntry)
    enough.push_back(CmpInst::ICMP_UGE);
  bool guarded = holdsOnEntry(values, loop, enough, start, least);
  if (!guarded && unsignedEntry && *smallest == 1)
    guarded = holdsOnEntry(values, loop, CmpInst::ICMP_NE, start, evolution.getZero(start->getType()));
  if (!guarded)
    suppose.words.push_back("the condition holds on entry");
  if (!guarded && test.scaling.isSigned && (test.isUnsigned || test.goesOn == CmpInst::ICMP_NE))
    suppose.words.push_back("the start is positive");
  // A start that is itself a quotient, `blockDim.x / 2`, gives its divisor to the logarithm.
  const llvm::Value *origin = test.start;
  Reading reading = test.scaling.isSigned ? Reading::Signed : Reading::Unsigned;
  int64_t divisor = *smallest;
  if (std::optional<Scaling> quotient = scalingOf(origin); quotient && quotient->divides) {
    origin = quotient->operand;
    reading = quotient->isSigned ? Reading::Signed : Reading::Unsigned;
    divisor *= quotient->factor;
  }
  SymbolicInteger value = values.integerAt(origin, reading, *loop.getLoopPredecessor()->getTerminator());
  suppose.bits = value.suppositions;
  return logOfQuotient(values, value.value, divisor, test.scaling.factor) + Expression(1);
}

} // namespace

std::optional<Fact<Expression>> geometricTripCount(SymbolicValues &values, const llvm::Loop &loop,
                                                   const llvm::BasicBlock &exiting) {
  std::optional<GeometricTest> test = testOf(loop, exiting);
  std::optional<Scaling> scaling = test ? test->scaling : scalingBehind(loop, exiting);
  if (!scaling)
    return std::nullopt;
  Suppositions suppose;
  std::optional<Expression> count;
  if (test)
    count = scaling->divides ? iterationsDownTo(values, loop, *test, suppose)
                             : iterationsUpTo(values, loop, *test, suppose);
  if (!count || !count->valid())
    return Fact<Expression>::unknown("geometric: each iteration " +
                                     std::string(scaling->divides ? "divides" : "multiplies") +
                                     " the counter by " + std::to_string(scaling->factor) +
                                     ", and the exit is no bound that a logarithm gives");
  if (std::string words = describeSuppositions(suppose.bits); !words.empty())
    suppose.words.push_back(words);
  if (suppose.words.empty())
    return Fact<Expression>::proved(*count);
  return Fact<Expression>::assumed(*count, llvm::join(suppose.words, ", "));
}

} // namespace warpwright
