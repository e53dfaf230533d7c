#include "analysis/ir/RangeAnalysis.h"

#include "analysis/ir/TripCount.h"

#include <llvm/IR/PatternMatch.h>

namespace warpwright {
namespace {

struct Constraint {
  Expression notAboveZero;
  unsigned suppositions = 0;
};

bool changesInLaunch(const Symbol &symbol) {
  return symbol.kind == SymbolKind::ThreadIndex || symbol.kind == SymbolKind::BlockIndex ||
         symbol.kind == SymbolKind::LoopCounter || symbol.kind == SymbolKind::Opaque;
}

unsigned countChanging(const Expression &expression) {
  unsigned count = 0;
  expression.forEachSymbol([&](const Symbol *symbol) { count += changesInLaunch(*symbol); });
  return count;
}

/// Not below zero when no scalar is: block and grid extents are at least one, other symbols at least zero.
enum class Sign { NotNegative, NotPositive, Unknown };

Sign signOf(const Expression &expression) {
  bool positive = true, negative = true;
  int64_t smallest = 0; // with block and grid extents of one and all else zero
  for (const auto &[monomial, coefficient] : expression.terms()) {
    bool onlyExtents = true;
    for (const Symbol *symbol : monomial) {
      if (symbol->mayBeNegative && symbol->kind != SymbolKind::Parameter)
        return Sign::Unknown;
      onlyExtents &= symbol->kind == SymbolKind::BlockExtent || symbol->kind == SymbolKind::GridExtent;
    }
    if (coefficient > INT32_MAX || coefficient < INT32_MIN)
      return Sign::Unknown;
    smallest += onlyExtents ? coefficient : 0;
    positive &= coefficient > 0 || monomial.empty();
    negative &= coefficient < 0 || monomial.empty();
  }
  if (positive && smallest >= 0)
    return Sign::NotNegative;
  return negative && smallest <= 0 ? Sign::NotPositive : Sign::Unknown;
}

bool mentionsScalar(const Expression &expression) {
  return expression.mentions([](const Symbol &symbol) { return symbol.kind == SymbolKind::Parameter; });
}

void addConstraint(SymbolicValues &values, const llvm::ICmpInst &compare, bool holds,
                   std::vector<Constraint> &constraints) {
  if (!compare.getOperand(0)->getType()->isIntegerTy())
    return;
  using llvm::CmpInst;
  CmpInst::Predicate predicate = holds ? compare.getPredicate() : compare.getInversePredicate();
  SymbolicInteger a = values.integer(compare.getOperand(0), Reading::Signed);
  SymbolicInteger b = values.integer(compare.getOperand(1), Reading::Signed);
  Constraint result{a.value - b.value, a.suppositions | b.suppositions};
  if (CmpInst::isUnsigned(predicate)) {
    result.suppositions |= compare.hasSameSign() ? 0u : unsigned(SymbolicInteger::NotNegative);
    predicate = llvm::ICmpInst::getSignedPredicate(predicate);
  }
  switch (predicate) {
  case CmpInst::ICMP_SLT:
    result.notAboveZero = result.notAboveZero + 1;
    break;
  case CmpInst::ICMP_SGT:
    result.notAboveZero = Expression(1) - result.notAboveZero;
    break;
  case CmpInst::ICMP_SGE:
    result.notAboveZero = Expression() - result.notAboveZero;
    break;
  case CmpInst::ICMP_EQ:
    constraints.push_back({Expression() - result.notAboveZero, result.suppositions});
    break;
  case CmpInst::ICMP_SLE:
    break;
  default:
    return;
  }
  constraints.push_back(std::move(result));
}

void addConditions(SymbolicValues &values, const llvm::Value *condition, bool holds,
                   std::vector<Constraint> &constraints) {
  using namespace llvm::PatternMatch;
  const llvm::Value *left = nullptr, *right = nullptr;
  if (const auto *freeze = llvm::dyn_cast<llvm::FreezeInst>(condition))
    return addConditions(values, freeze->getOperand(0), holds, constraints);
  if (holds ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
            : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    addConditions(values, left, holds, constraints);
    addConditions(values, right, holds, constraints);
    return;
  }
  if (const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition))
    addConstraint(values, *compare, holds, constraints);
}

/// Everything that is known to hold wherever `block` runs.
std::vector<Constraint> constraintsAt(SymbolicValues &values, const llvm::BasicBlock *block) {
  const KernelView &view = values.view();
  std::vector<Constraint> constraints;
  const llvm::DomTreeNode *node = view.dominators.getNode(block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    const auto *branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned side = 0; side < 2; ++side)
      if (view.dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(side)),
                                    block))
        addConditions(values, branch->getCondition(), side == 0, constraints);
  }
  for (const llvm::Loop *loop = view.loopInfo.getLoopFor(block); loop; loop = loop->getParentLoop())
    if (std::optional<SymbolicInteger> bound = boundInBody(values, *loop))
      constraints.push_back({bound->value, bound->suppositions});
  return constraints;
}

/// Largest or smallest value of one expression under constraints. Each step replaces a changing symbol by a
/// bound of it.
class Bounding {
public:
  Bounding(SymbolicValues &values, const std::vector<Constraint> &constraints)
      : values_(values), constraints_(constraints) {}

  std::optional<Expression> extreme(Expression expression, bool largest) {
    for (unsigned step = 0; step < limit && countChanging(expression) > 0; ++step) {
      std::optional<Expression> next = byConstraint(expression, largest);
      if (!next)
        next = byRange(expression, largest);
      if (!next || !next->valid())
        return std::nullopt;
      expression = std::move(*next);
    }
    return countChanging(expression) == 0 ? std::optional(expression) : std::nullopt;
  }

  unsigned suppositions() const { return suppositions_; }
  /// Some step rests on more than the suppositions say: on scalars that are not negative, on an assumed trip
  /// count.
  bool supposesMore() const { return supposesMore_; }

private:
  static constexpr unsigned limit = 16;

  /// `32 * index + rest <= 0` bounds multiples of 32 * index by those of -rest, which pays off when the rest
  /// cancels against the expression.
  std::optional<Expression> byConstraint(const Expression &expression, bool largest) {
    std::optional<Expression> best;
    unsigned bestSuppositions = 0;
    bool bestSupposesMore = false;
    for (const Constraint &constraint : constraints_)
      constraint.notAboveZero.forEachSymbol([&](const Symbol *symbol) {
        if (!changesInLaunch(*symbol))
          return;
        std::optional<Expression> factor = constraint.notAboveZero.coefficient(symbol);
        std::optional<Expression> weight = expression.coefficient(symbol);
        std::optional<int64_t> multiple = factor ? factor->asConstant() : std::nullopt;
        if (!weight || weight->isZero() || countChanging(*weight) > 0 || !multiple || *multiple == 0)
          return;
        Sign sign = signOf(*weight);
        bool upper = *multiple > 0, wantsUpper = (sign == Sign::NotNegative) == largest;
        std::optional<Expression> times = weight->dividedBy(upper ? *multiple : -*multiple);
        if (sign == Sign::Unknown || wantsUpper != upper || !times)
          return;
        Expression rest = constraint.notAboveZero.without(symbol);
        Expression bound = upper ? Expression() - rest : rest;
        Expression candidate = expression.without(symbol) + *times * bound;
        bool fewer = countChanging(candidate) < countChanging(expression);
        if (!fewer || (best && countChanging(candidate) >= countChanging(*best)))
          return;
        best = std::move(candidate);
        bestSuppositions = constraint.suppositions;
        bestSupposesMore = mentionsScalar(*weight);
      });
    suppositions_ |= bestSuppositions;
    supposesMore_ |= bestSupposesMore;
    return best;
  }

  std::optional<Expression> byRange(const Expression &expression, bool largest) {
    std::optional<Expression> result;
    expression.forEachSymbol([&](const Symbol *symbol) {
      if (result || !changesInLaunch(*symbol))
        return;
      std::optional<Expression> weight = expression.coefficient(symbol);
      Sign sign = weight ? signOf(*weight) : Sign::Unknown;
      if (sign == Sign::Unknown)
        return;
      bool wantsUpper = (sign == Sign::NotNegative) == largest;
      std::optional<Expression> bound = wantsUpper ? largestOf(*symbol) : smallestOf(*symbol);
      if (!bound)
        return;
      result = expression.substitute(symbol, *bound);
      supposesMore_ |= mentionsScalar(*weight);
    });
    return result;
  }

  std::optional<Expression> largestOf(const Symbol &symbol) {
    switch (symbol.kind) {
    case SymbolKind::ThreadIndex:
      return Expression(values_.blockExtent(symbol.index)) - 1;
    case SymbolKind::BlockIndex:
      return Expression(values_.gridExtent(symbol.index)) - 1;
    case SymbolKind::LoopCounter: {
      Fact<Expression> count = tripCountOf(values_, *values_.view().loops()[symbol.index]);
      if (!count.known() || countChanging(count.value()) > 0)
        return std::nullopt;
      supposesMore_ |= !count.proved();
      return count.value() - 1;
    }
    default:
      return symbol.maximum ? std::optional(Expression(*symbol.maximum)) : std::nullopt;
    }
  }

  std::optional<Expression> smallestOf(const Symbol &symbol) {
    return symbol.mayBeNegative ? std::nullopt : std::optional(Expression());
  }

  SymbolicValues &values_;
  const std::vector<Constraint> &constraints_;
  unsigned suppositions_ = 0;
  bool supposesMore_ = false;
};

/// The larger (or smaller) of two bounds; spelled as max() where neither is for certain.
Expression combineBounds(SymbolicValues &values, const Expression &a, const Expression &b, bool largest) {
  Sign sign = signOf(a - b);
  if (a == b || (sign == Sign::NotNegative) == largest)
    if (a == b || sign != Sign::Unknown)
      return a;
  if (sign != Sign::Unknown)
    return b;
  // A bound that is already among the operands of a max() adds nothing.
  std::string known = a.text();
  if (llvm::StringRef(known).contains("(" + b.text() + ",") ||
      llvm::StringRef(known).contains(", " + b.text() + ")"))
    return a;
  return Expression(
      values.derived((largest ? "max(" : "min(") + a.text() + ", " + b.text() + ")", {a, b}, true));
}

void widen(SymbolicValues &values, Fact<Expression> &bound, const std::optional<Expression> &value,
           const Bounding &bounding, const MemoryAccess &access, bool largest, bool first) {
  if (!first && !bound.known())
    return;
  if (!value) {
    bound = Fact<Expression>::unknown("the index at line " + std::to_string(access.place.place.line) + ", " +
                                      access.index + ", has no known bound");
    return;
  }
  std::string reason = "scalars are not negative";
  if (std::string words = describeSuppositions(bounding.suppositions()); !words.empty())
    reason += ", " + words;
  if (!access.offset.proved() && !llvm::StringRef(reason).contains(access.offset.reason()))
    reason += ", " + access.offset.reason();
  Expression whole = first ? *value : combineBounds(values, bound.value(), *value, largest);
  if (!first && bound.grade() == Grade::Assumed && bound.reason().size() > reason.size())
    reason = bound.reason();
  // Two constants compare without looking at scalars; anything else does not.
  bool certain = value->asConstant() && whole.asConstant() && bounding.suppositions() == 0 &&
                 !bounding.supposesMore() && access.offset.proved() && (first || bound.proved());
  bound = certain ? Fact<Expression>::proved(whole) : Fact<Expression>::assumed(whole, reason);
}

} // namespace

std::vector<BufferRange> analyseRanges(SymbolicValues &values, const AccessList &list) {
  std::vector<BufferRange> ranges;
  const llvm::BasicBlock *lastBlock = nullptr;
  std::vector<Constraint> constraints;
  for (const llvm::BasicBlock &block : values.view().function)
    for (const llvm::Instruction &instruction : block)
      for (unsigned id : list.ofInstruction.lookup(&instruction)) {
        const MemoryAccess &access = list.accesses[id];
        if (!access.object.known() || access.space == MemorySpace::Local ||
            access.space == MemorySpace::Parameter)
          continue;
        if (lastBlock != &block) {
          constraints = constraintsAt(values, &block);
          lastBlock = &block;
        }
        auto range = llvm::find_if(
            ranges, [&](const BufferRange &known) { return known.object == access.object.value(); });
        bool isNew = range == ranges.end();
        if (isNew) {
          ranges.push_back({});
          range = std::prev(ranges.end());
          range->object = access.object.value();
        }
        range->read |= access.kind != AccessKind::Write;
        range->written |= access.kind != AccessKind::Read;
        std::optional<Expression> smallest, largest;
        Bounding bounding(values, constraints);
        if (access.offset.known() && access.bytes > 0) {
          smallest = bounding.extreme(access.offset.value(), false);
          largest = bounding.extreme(access.offset.value(), true);
        }
        if (largest)
          largest = *largest + Expression(access.bytes - 1);
        widen(values, range->first, smallest, bounding, access, false, isNew);
        widen(values, range->last, largest, bounding, access, true, isNew);
      }
  return ranges;
}

} // namespace warpwright
