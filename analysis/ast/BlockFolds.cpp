#include "analysis/ast/BlockFolds.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallSet.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

/// Finds every compound statement of a body, outer ones first, lambdas aside.
class ScopeFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const clang::CompoundStmt *> scopes;
  bool VisitCompoundStmt(const clang::CompoundStmt *scope) override {
    scopes.push_back(scope);
    return true;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }
};

/// Whether the code waits for the block.
class ContentFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool barrier = false;
  bool VisitCallExpr(const clang::CallExpr *call) override {
    barrier |= isBlockBarrier(call);
    return true;
  }
};

const Stmt *unattributed(const Stmt *statement) {
  while (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(statement))
    statement = attributed->getSubStmt();
  return statement;
}

/// `place = value;` as a statement, where a class may overload the operator; null for anything else.
const Expr *assignmentOf(const Stmt *statement) {
  const auto *expression = llvm::dyn_cast<Expr>(statement);
  if (!expression)
    return nullptr;
  expression = expression->IgnoreParens();
  if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
    expression = cleanups->getSubExpr();
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return binary->getOpcode() == clang::BO_Assign ? expression : nullptr;
  const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expression);
  return call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2 ? expression : nullptr;
}

const Expr *targetOf(const Expr *assignment) {
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(assignment))
    return binary->getLHS();
  return llvm::cast<clang::CXXOperatorCallExpr>(assignment)->getArg(0);
}

/// The first name in the code from which a subscript leads to the slots, and the type of what it leads to.
class ReferenceFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  ReferenceFinder(BlockInterpreter state, const VarDecl *array, int64_t base)
      : state_(std::move(state)), array_(array), base_(base) {}
  const clang::DeclRefExpr *found = nullptr;
  clang::QualType element;

  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *subscript) override {
    const auto *base = llvm::dyn_cast<clang::DeclRefExpr>(subscript->getBase()->IgnoreParenImpCasts());
    if (!base || subscript->getType()->isArrayType())
      return true;
    LaneValue address = state_.evaluate(subscript->getBase()).front();
    if (!address.isAddress() || address.variable != array_ || address.integer != base_)
      return true;
    found = base;
    element = subscript->getType().getUnqualifiedType();
    return false;
  }

private:
  BlockInterpreter state_;
  const VarDecl *array_;
  int64_t base_;
};

/// Whether the constant changes nothing that it is combined with.
bool isNeutral(const FoldNode &constant, FoldOperation operation) {
  const auto *expression = static_cast<const Expr *>(constant.origin);
  const auto *literal = llvm::dyn_cast<clang::FloatingLiteral>(expression);
  auto is = [&](int64_t number) {
    return literal ? literal->getValueAsApproximateDouble() == static_cast<double>(number)
                   : constant.index == number;
  };
  switch (operation) {
  case FoldOperation::Sum:
  case FoldOperation::BitOr:
  case FoldOperation::BitXor:
  case FoldOperation::LogicalOr:
    return is(0);
  case FoldOperation::Product:
  case FoldOperation::LogicalAnd:
    return is(1);
  case FoldOperation::BitAnd:
    return is(-1);
  default:
    return false;
  }
}

Fold withoutNeutral(Fold fold) {
  llvm::erase_if(fold.leaves, [&](const FoldNode *leaf) {
    return leaf->kind == FoldNode::Kind::Constant && isNeutral(*leaf, fold.operation);
  });
  return fold;
}

/// The leaves that are left when what the result itself held is taken away.
Fold withoutHeld(Fold fold, const VarDecl *result) {
  auto *held = llvm::find_if(fold.leaves, [&](const FoldNode *leaf) {
    return leaf->kind == FoldNode::Kind::Constant ||
           (leaf->kind == FoldNode::Kind::Variable && leaf->origin == result);
  });
  if (held != fold.leaves.end())
    fold.leaves.erase(held);
  return fold;
}

} // namespace

const Stmt *BlockFold::statement(size_t position) const {
  return scope->body_begin()[position];
}

/// One attempt to find a piece that begins at a certain statement.
struct BlockFolds::Search {
  struct Store {
    const Stmt *statement;
    const Expr *assignment;
    const VarDecl *array;
    std::vector<LaneValue> places; ///< by thread
  };

  Search(BlockInterpreter start, const clang::CompoundStmt &scope, size_t first)
      : state(std::move(start)), all(state.allLanes()) {
    fold.scope = &scope;
    fold.first = fold.last = first;
    fold.threads = state.threads();
  }

  BlockInterpreter state;
  BlockInterpreter::Lanes all;
  BlockFold fold;
  std::vector<Store> stores;
  std::string whyNot;

  bool run() {
    bool atStart = true;
    for (size_t i = fold.first; i < fold.scope->size(); ++i) {
      const Stmt *statement = fold.statement(i);
      if (atStart && isBlockBarrier(statement) && !stores.empty())
        atStart = false;
      const Expr *assignment = atStart ? assignmentOf(statement) : nullptr;
      if (assignment) {
        if (!runStore(statement, *assignment))
          return false;
        continue;
      }
      atStart = false;
      BlockInterpreter before = state;
      if (!state.run(statement, all)) {
        whyNot = state.whyNot();
        const auto *section = llvm::dyn_cast<clang::IfStmt>(unattributed(statement));
        if (i == fold.first || !section)
          return false;
        fold.last = i - 1;
        state = std::move(before);
        return finishIn(*section) && finish();
      }
      if (!completes())
        continue;
      fold.last = i;
      if (i + 1 < fold.scope->size() && isBlockBarrier(fold.statement(i + 1))) {
        fold.last = i + 1;
        state.run(fold.statement(i + 1), all);
      }
      return finish();
    }
    return false;
  }

private:
  bool runStore(const Stmt *statement, const Expr &assignment) {
    Store store{statement, &assignment, nullptr, state.placesOf(targetOf(&assignment))};
    if (!llvm::all_of(store.places, [](const LaneValue &place) { return place.isAddress(); }))
      return false;
    store.array = store.places.front().variable;
    stores.push_back(store);
    return state.runOnce(&assignment, all);
  }

  /// Whether every array that was written other than by the stores is folded now.
  bool completes() {
    std::map<const VarDecl *, FoldedSlots> folded;
    llvm::SmallPtrSet<const VarDecl *, 4> open;
    for (const auto &[key, slot] : state.slots().all()) {
      if (!slot.written)
        continue;
      if (slot.value.isNumber() && slot.value.node->kind != FoldNode::Kind::Combination)
        continue; // as it was stored
      open.insert(key.first);
      if (folded.contains(key.first) || !slot.value.isNumber())
        continue;
      std::optional<Fold> whole = flatten(*slot.value.node);
      std::optional<FoldedSlots> slots =
          whole ? slotsOf(withoutNeutral(*whole), slot.bytes, /*result=*/nullptr) : std::nullopt;
      if (slots && slots->array == key.first && slots->base == key.second)
        folded.emplace(key.first, *slots);
    }
    for (const VarDecl *array : open)
      if (!folded.contains(array))
        return false;
    fold.slots.clear();
    for (auto &[array, slots] : folded)
      fold.slots.push_back(slots);
    return !fold.slots.empty();
  }

  /// The slots of which the leaves are, each once.
  std::optional<FoldedSlots> slotsOf(const Fold &whole, int64_t bytes, const VarDecl *result) const {
    if (whole.leaves.size() != fold.threads)
      return std::nullopt;
    const FoldNode &some = *whole.leaves.front();
    std::vector<int64_t> indices;
    for (const FoldNode *leaf : whole.leaves) {
      if (leaf->kind != some.kind || leaf->origin != some.origin)
        return std::nullopt;
      indices.push_back(leaf->index);
    }
    llvm::sort(indices);
    FoldedSlots slots;
    slots.operation = whole.operation;
    slots.byComparison = whole.byComparison;
    slots.spelling = whole.spelling;
    slots.result = result;
    int64_t step = 1;
    if (some.kind == FoldNode::Kind::Slot) {
      slots.array = static_cast<const VarDecl *>(some.origin);
      slots.base = indices.front();
      step = bytes;
    } else {
      const Store *store = storeOf(some);
      if (!store || indices.front() != 0)
        return std::nullopt;
      slots.array = store->array;
      slots.base = store->places.front().integer;
      slots.store = store->assignment;
      for (size_t thread = 0; thread < store->places.size(); ++thread)
        if (store->places[thread].variable != slots.array ||
            store->places[thread].integer != slots.base + static_cast<int64_t>(thread) * bytes)
          return std::nullopt;
    }
    for (size_t i = 0; i < indices.size(); ++i)
      if (indices[i] != indices.front() + static_cast<int64_t>(i) * step)
        return std::nullopt;
    return slots;
  }

  /// The store that put the leaf into its slot.
  const Store *storeOf(const FoldNode &leaf) const {
    auto found = llvm::find_if(stores, [&](const Store &store) {
      const Expr *value = valueOf(store.assignment);
      if (leaf.kind == FoldNode::Kind::Expression)
        return static_cast<const void *>(value) == leaf.origin;
      return leaf.kind == FoldNode::Kind::Variable &&
             static_cast<const void *>(namedVariable(value)) == leaf.origin;
    });
    return found == stores.end() ? nullptr : &*found;
  }

  static const Expr *valueOf(const Expr *assignment) {
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(assignment))
      return binary->getRHS();
    return llvm::cast<clang::CXXOperatorCallExpr>(assignment)->getArg(1);
  }

  /// Thread 0 alone folds, in a loop among other statements.
  bool finishIn(const clang::IfStmt &section) {
    if (section.getInit() || section.getConditionVariable())
      return false;
    std::optional<BlockInterpreter::Lanes> lanes = state.lanesWhere(section.getCond(), all);
    if (!lanes || *lanes != BlockInterpreter::Lanes{0})
      return false;
    std::vector<const Stmt *> body = {section.getThen()};
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(section.getThen()))
      body.assign(compound->body_begin(), compound->body_end());
    std::vector<FoldedSlots> found;
    for (const Stmt *statement : body) {
      BlockInterpreter before = state;
      if (!state.run(statement, *lanes))
        break;
      if (!llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(unattributed(statement)))
        continue;
      if (!completes() && !completesInVariables(before, *statement))
        break;
      for (FoldedSlots &slots : fold.slots) {
        slots.serialLoop = statement;
        found.push_back(slots);
      }
    }
    fold.slots = std::move(found);
    return !fold.slots.empty();
  }

  /// Every variable that the loop changed, its own aside, holds the fold of an array.
  bool completesInVariables(BlockInterpreter &before, const Stmt &loop) {
    fold.slots.clear();
    const clang::SourceManager &sources = state.ast().getSourceManager();
    for (const auto &[variable, values] : state.variables()) {
      clang::SourceLocation declared = variable->getLocation();
      bool own = !sources.isBeforeInTranslationUnit(declared, loop.getBeginLoc()) &&
                 !sources.isBeforeInTranslationUnit(loop.getEndLoc(), declared);
      LaneValue held = before.valueOf(variable, 0);
      bool same =
          held.kind == values[0].kind && held.node == values[0].node && held.integer == values[0].integer;
      if (own || same || llvm::isa<clang::ParmVarDecl>(variable))
        continue;
      std::optional<Fold> whole = values[0].isNumber() ? flatten(*values[0].node) : std::nullopt;
      if (!whole)
        return false;
      int64_t bytes = state.ast().getTypeSizeInChars(variable->getType()).getQuantity();
      std::optional<FoldedSlots> slots = slotsOf(*whole, bytes, variable);
      if (slots)
        slots->resultHeldSlot = true;
      else
        slots = slotsOf(withoutHeld(*whole, variable), bytes, variable);
      if (!slots)
        return false;
      fold.slots.push_back(*slots);
    }
    return !fold.slots.empty();
  }

  /// What is left to know once the piece is complete.
  bool finish() {
    fold.barriers = state.slots().barriers();
    fold.warpSynchronous = state.slots().warpSynchronous();
    fold.settled = llvm::all_of(fold.slots, [&](const FoldedSlots &slots) {
      auto slot = state.slots().all().find({slots.array, slots.base});
      return slot != state.slots().all().end() && slot->second.writtenAt != fold.barriers;
    });
    for (const Store &store : stores) {
      auto folded =
          llvm::find_if(fold.slots, [&](const FoldedSlots &slots) { return slots.array == store.array; });
      if (folded == fold.slots.end())
        fold.kept.push_back(store.statement);
      else if (folded->store != store.assignment)
        return false;
    }
    for (FoldedSlots &slots : fold.slots) {
      ReferenceFinder finder(state, slots.array, slots.base);
      for (size_t i = fold.first; i <= fold.last && !finder.found; ++i)
        finder.TraverseStmt(fold.statement(i));
      if (!finder.found && slots.serialLoop)
        finder.TraverseStmt(slots.serialLoop);
      if (!finder.found)
        return false;
      slots.reference = finder.found;
      slots.element = finder.element;
    }
    return true;
  }
};

BlockFolds::BlockFolds(const clang::ASTContext &ast, KnownBlock block, const FoldSite &site)
    : ast_(ast), block_(block), site_(site), changes_(*site.function->getBody()),
      nodes_(std::make_unique<FoldNodes>()) {
  ScopeFinder finder;
  finder.TraverseStmt(site.function->getBody());
  for (const clang::CompoundStmt *scope : finder.scopes)
    search(*scope);
}

BlockInterpreter BlockFolds::interpreter() const {
  BlockInterpreter interpreter(ast_, block_, changes_, *nodes_);
  for (const auto &[parameter, values] : site_.parameters)
    interpreter.bind(parameter, values);
  return interpreter;
}

void BlockFolds::search(const clang::CompoundStmt &scope) {
  for (size_t i = 0; i < scope.size(); ++i) {
    const Stmt *statement = unattributed(scope.body_begin()[i]);
    bool barrier = isBlockBarrier(statement);
    bool loop = llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(statement);
    if (!assignmentOf(statement) && !barrier && !loop && !llvm::isa<clang::IfStmt>(statement))
      continue;
    // What the barrier protects is the first store's place: it stays before the piece.
    if (barrier && i + 1 < scope.size() && assignmentOf(scope.body_begin()[i + 1]))
      continue;
    Search attempt(interpreter(), scope, i);
    if (attempt.run()) {
      i = attempt.fold.last;
      folds_.push_back(std::move(attempt.fold));
      continue;
    }
    ContentFinder content;
    content.TraverseStmt(statement);
    if (loop && content.barrier && !attempt.whyNot.empty())
      others_.push_back({statement, attempt.whyNot});
  }
}

} // namespace warpwright
