#include "analysis/ast/LoopNests.h"

#include "analysis/annotation/Annotation.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

/// The only statement of the loop's body.
const clang::Stmt *onlyStatement(const clang::Stmt *body) {
  const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(body);
  return !compound ? body : compound->size() == 1 ? compound->body_front() : nullptr;
}

bool mentions(const clang::Stmt *code, const VarDecl *variable) {
  return llvm::is_contained(variablesIn(code), variable);
}

const Expr *unwrapped(const Expr *expression) {
  if (const auto *full = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
    expression = full->getSubExpr();
  return expression->IgnoreParenCasts();
}

void appendSummands(const Expr *sum, std::vector<const Expr *> &summands) {
  sum = unwrapped(sum);
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(sum);
  if (binary && binary->getOpcode() == clang::BO_Add) {
    appendSummands(binary->getLHS(), summands);
    appendSummands(binary->getRHS(), summands);
    return;
  }
  summands.push_back(sum);
}

/// The indices of `a[i][j]`, outermost first, down to what they start from.
std::vector<const Expr *> indicesOf(const Expr *place, const Expr *&base) {
  std::vector<const Expr *> indices;
  place = place->IgnoreParenImpCasts();
  while (true) {
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(place); member && !member->isArrow()) {
      place = member->getBase()->IgnoreParenImpCasts();
      continue;
    }
    const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place);
    if (!subscript)
      break;
    indices.insert(indices.begin(), subscript->getIdx());
    place = subscript->getBase()->IgnoreParenImpCasts();
    if (!place->getType()->isArrayType())
      break;
  }
  base = place;
  return indices;
}

/// How an element's place depends on the two counters.
struct Dependence {
  bool known = false;
  bool onOuter = false, onInner = false; ///< the place mentions the counter
  bool distinct = false;                 ///< different counters, of those it mentions, are different elements
};

class NestReader {
public:
  NestReader(const LoopNest &nest, const clang::ASTContext &ast) : nest_(nest), ast_(ast) {}

  Dependence dependenceOf(const Expr *place) const {
    Dependence result;
    const Expr *base = nullptr;
    std::vector<const Expr *> indices = indicesOf(place, base);
    if (indices.empty() || mentions(base, nest_.outer->counter) || mentions(base, nest_.inner->counter))
      return result;
    for (const VarDecl *variable : variablesIn(base))
      if (!variable->getType()->isArrayType() && !nest_.outer->changes.isConstant(variable))
        return result;
    unsigned alone[2] = {0, 0}; // dimensions that one counter moves by itself
    bool together = false;
    for (const Expr *index : indices) {
      bool outer = mentions(index, nest_.outer->counter), inner = mentions(index, nest_.inner->counter);
      result.onOuter |= outer;
      result.onInner |= inner;
      if (outer && inner)
        together |= indices.size() == 1 && isRowMajor(index);
      else if (outer || inner)
        alone[inner] += isMonotone(index, outer ? *nest_.outer : *nest_.inner);
    }
    result.known = true;
    result.distinct = together || ((!result.onOuter || alone[0]) && (!result.onInner || alone[1]));
    return result;
  }

  /// By one element when the counter moves by one, the other staying.
  bool isNear(const Expr *place, const CanonicalLoop &loop) const {
    const Expr *base = nullptr;
    std::vector<const Expr *> indices = indicesOf(place, base);
    if (indices.empty() || !loop.unitStep())
      return false;
    for (size_t i = 0; i + 1 < indices.size(); ++i)
      if (mentions(indices[i], loop.counter))
        return false;
    std::vector<const Expr *> summands;
    appendSummands(indices.back(), summands);
    unsigned moving = 0;
    bool isOne = false;
    for (const Expr *summand : summands)
      if (mentions(summand, loop.counter)) {
        ++moving;
        isOne = namedVariable(summand) == loop.counter;
      }
    return moving == 1 && isOne;
  }

private:
  /// Nothing but the counter moves it, and different counters give different values.
  bool isMonotone(const Expr *index, const CanonicalLoop &loop) const {
    std::vector<const Expr *> summands;
    appendSummands(index, summands);
    unsigned moving = 0;
    for (const Expr *summand : summands) {
      if (mentions(summand, loop.counter)) {
        std::optional<int64_t> slope = slopeOf(summand, loop);
        if (!slope || *slope == 0)
          return false;
        ++moving;
      } else if (!isFixed(summand)) {
        return false;
      }
    }
    return moving == 1;
  }

  /// Neither loop changes it.
  bool isFixed(const Expr *expression) const {
    return slopeOf(expression, *nest_.outer) == 0 && !mentions(expression, nest_.inner->counter);
  }

  /// `i * n + j` for a `j` from zero to below `n`, whichever counts which: each pair is an element of its
  /// own.
  bool isRowMajor(const Expr *index) const {
    std::vector<const Expr *> summands;
    appendSummands(index, summands);
    const CanonicalLoop *column = nullptr;
    const clang::BinaryOperator *row = nullptr;
    for (const Expr *summand : summands) {
      if (const VarDecl *variable = namedVariable(summand);
          variable && (variable == nest_.outer->counter || variable == nest_.inner->counter)) {
        if (column)
          return false;
        column = variable == nest_.outer->counter ? nest_.outer : nest_.inner;
      } else if (!isFixed(summand)) {
        const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(summand);
        if (row || !binary || binary->getOpcode() != clang::BO_Mul)
          return false;
        row = binary;
      }
    }
    if (!column || !row)
      return false;
    const CanonicalLoop &other = column == nest_.outer ? *nest_.inner : *nest_.outer;
    bool left = mentionsCounterAlone(row->getLHS(), other);
    const Expr *stride = left ? row->getRHS() : row->getLHS();
    if (!left && !mentionsCounterAlone(row->getRHS(), other))
      return false;
    Expr::EvalResult first;
    bool natural = !column->init->isValueDependent() && column->init->EvaluateAsInt(first, ast_)
                       ? first.Val.getInt().isNonNegative()
                       : isThreadIndex(column->init);
    return natural && column->upward && !column->inclusive && !column->notEqual &&
           isFixed(unwrapped(stride)) && areAlike(unwrapped(column->bound), unwrapped(stride), ast_);
  }

  /// A loop that threads take turns in starts at a thread's number.
  static bool isThreadIndex(const Expr *init) {
    return init->IgnoreParenCasts()->getType()->isUnsignedIntegerType();
  }

  /// The counter, or the counter and what stays: `(row0 + i)`.
  bool mentionsCounterAlone(const Expr *factor, const CanonicalLoop &loop) const {
    return isMonotone(factor, loop) && slopeOf(factor, loop) == 1;
  }

  const LoopNest &nest_;
  const clang::ASTContext &ast_;
};

bool isDeclaredIn(const VarDecl &variable, const clang::Stmt &code) {
  return variable.getASTContext().getSourceManager().isPointWithin(variable.getLocation(), code.getBeginLoc(),
                                                                   code.getEndLoc());
}

} // namespace

std::vector<LoopNest> findLoopNests(const std::vector<CanonicalLoop> &loops) {
  std::vector<LoopNest> nests;
  for (const CanonicalLoop &inner : loops)
    for (const CanonicalLoop &outer : loops) {
      if (inner.parent != outer.statement || onlyStatement(outer.body) != inner.statement)
        continue;
      bool alike = inner.declaresCounter && outer.declaresCounter && !mentions(inner.init, outer.counter) &&
                   !mentions(inner.bound, outer.counter) &&
                   (!inner.step || !mentions(inner.step, outer.counter));
      auto fixed = [&](const Expr *expression) {
        return !expression || llvm::all_of(variablesIn(expression), [&](const VarDecl *variable) {
          return outer.changes.isConstant(variable);
        });
      };
      if (alike && fixed(inner.init) && fixed(inner.bound) && fixed(inner.step))
        nests.push_back({&outer, &inner});
    }
  return nests;
}

NestSteps stepsOf(const LoopNest &nest, const PlaceReader &reader) {
  NestReader nestReader(nest, nest.outer->counter->getASTContext());
  NestSteps steps;
  for (const PlaceUse &use : reader.usesOf(*nest.inner->body).places) {
    if (use.root.isOnChip())
      continue;
    steps.outerNear += nestReader.isNear(use.place, *nest.outer);
    steps.innerNear += nestReader.isNear(use.place, *nest.inner);
  }
  return steps;
}

NestOrder readNestOrder(const LoopNest &nest, const PlaceReader &reader, const Annotation &annotation,
                        const clang::ASTContext &ast) {
  NestOrder order;
  auto refuse = [&](std::string why) {
    order.whyNot = std::move(why);
    return order;
  };
  CodeUses uses = reader.usesOf(*nest.inner->body);
  if (!uses.others.empty() || uses.leaves)
    return refuse("it calls what may do anything, waits for other threads, or is left early");
  for (const VarDecl *variable : nest.inner->changes.changed()) {
    if (isDeclaredIn(*variable, *nest.inner->statement) || !variable->isLocalVarDeclOrParm() ||
        variable->getType()->isArrayType() || variable->hasAttr<clang::CUDASharedAttr>() ||
        variable->getType()->isReferenceType())
      continue; // its own, or a place
    std::optional<LoopReduction> reduction = reductionOf(*nest.inner, *variable);
    if (!reduction)
      return refuse("'" + variable->getNameAsString() + "' goes from one iteration to the next");
    order.reductions.push_back(std::move(*reduction));
    order.independent = false;
  }
  NestReader nestReader(nest, ast);
  for (const PlaceUse &use : uses.places) {
    bool own = use.root.isOnChip() && isDeclaredIn(*use.root.variable, *nest.inner->statement);
    if (!use.writes() || own)
      continue;
    std::string name = use.root.known() ? "'" + use.root.name() + "'" : "memory that is not tied to a buffer";
    Dependence written = nestReader.dependenceOf(use.place);
    if (use.kind == PlaceUse::Kind::Escape || use.isVolatile || !use.root.known() || !written.known ||
        !written.distinct || !(written.onOuter || written.onInner))
      return refuse("two iterations may touch the same element of " + name + " in an order that counts");
    order.independent &= written.onOuter && written.onInner &&
                         !(use.root.isOnChip() && !use.root.variable->hasAttr<clang::CUDASharedAttr>());
    for (const PlaceUse &other : uses.places)
      if (mayOverlap(use.root, other.root, annotation, order.assumptions) &&
          !areAlike(other.place, use.place, ast))
        return refuse("one iteration may write what another reads or writes of " + name);
  }
  return order;
}

} // namespace warpwright
