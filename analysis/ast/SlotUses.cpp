#include "analysis/ast/SlotUses.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;
using Visitor = clang::ConstDynamicRecursiveASTVisitor;

bool contains(const Stmt *outer, const Stmt *inner) {
  if (!outer)
    return false;
  if (outer == inner)
    return true;
  return llvm::any_of(outer->children(), [&](const Stmt *child) { return contains(child, inner); });
}

class LoopFinder : public Visitor {
public:
  explicit LoopFinder(const Stmt *statement) : statement_(statement) {}
  const Stmt *innermost = nullptr;
  bool VisitForStmt(const clang::ForStmt *loop) override { return visit(loop); }
  bool VisitWhileStmt(const clang::WhileStmt *loop) override { return visit(loop); }
  bool VisitDoStmt(const clang::DoStmt *loop) override { return visit(loop); }

private:
  bool visit(const Stmt *loop) {
    if (loop != statement_ && contains(loop, statement_))
      innermost = loop;
    return true;
  }
  const Stmt *statement_;
};

/// Walks a function around its folds and knows, at each place, whether it may run after the fold, and by
/// thread 0 alone.
class OutsideVisitor : public Visitor {
public:
  OutsideVisitor(const clang::FunctionDecl &function, const BlockFolds &folds,
                 llvm::ArrayRef<const BlockFold *> all, const BlockFold &fold)
      : sources_(function.getASTContext().getSourceManager()), state_(folds.interpreter()),
        lanes_(state_.allLanes()) {
    for (const BlockFold *other : all)
      for (const Stmt *statement : statementsOf(*other))
        skipped_.insert(statement);
    end_ = fold.statement(fold.last)->getEndLoc();
    loop_ = loopAround(*function.getBody(), fold.statement(fold.first));
  }

  bool TraverseStmt(const Stmt *statement) override {
    if (skipped_.contains(statement))
      return true;
    bool enters = statement && statement == loop_;
    inLoop_ |= enters;
    bool goOn = Visitor::TraverseStmt(statement);
    if (enters)
      inLoop_ = false;
    return goOn;
  }

  bool TraverseIfStmt(const clang::IfStmt *choice) override {
    std::optional<BlockInterpreter::Lanes> lanes =
        choice->getInit() || choice->getConditionVariable()
            ? std::nullopt
            : BlockInterpreter(state_).lanesWhere(choice->getCond(), lanes_);
    bool single = lanes && *lanes == BlockInterpreter::Lanes{0};
    if (!single)
      return Visitor::TraverseIfStmt(choice);
    TraverseStmt(choice->getCond());
    ++single_;
    TraverseStmt(choice->getThen());
    --single_;
    return !choice->getElse() || TraverseStmt(choice->getElse());
  }

protected:
  bool isAfter(clang::SourceLocation location) const {
    return inLoop_ || sources_.isBeforeInTranslationUnit(end_, location);
  }
  bool bySingleThread() const { return single_ != 0; }
  BlockInterpreter state() const { return state_; }

private:
  const clang::SourceManager &sources_;
  BlockInterpreter state_;
  BlockInterpreter::Lanes lanes_;
  llvm::SmallPtrSet<const Stmt *, 16> skipped_;
  clang::SourceLocation end_;
  const Stmt *loop_ = nullptr;
  bool inLoop_ = false;
  unsigned single_ = 0;
};

class SlotVisitor : public OutsideVisitor {
public:
  SlotVisitor(const clang::FunctionDecl &function, const BlockFolds &folds,
              llvm::ArrayRef<const BlockFold *> all, const BlockFold &fold, const FoldedSlots &slots,
              SlotUses &uses)
      : OutsideVisitor(function, folds, all, fold), slots_(slots), uses_(uses) {}

  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->getOpcode() == clang::BO_Assign)
      targets_.insert(binary->getLHS()->IgnoreParens());
    return true;
  }
  bool VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr *call) override {
    if (call->getOperator() == clang::OO_Equal)
      targets_.insert(call->getArg(0)->IgnoreParens());
    return true;
  }
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *subscript) override {
    return subscript->getType()->isArrayType() || visitPlace(subscript);
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    return unary->getOpcode() != clang::UO_Deref || visitPlace(unary);
  }
  bool VisitVarDecl(const VarDecl *variable) override {
    // A pointer that always leads to the same place is another name for it.
    if (variable->getInit() && variable->getType()->isPointerType() &&
        BlockInterpreter(state()).valueOf(variable, 0).isAddress())
      addNames(variable->getInit());
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (known_.contains(reference) || aliases_.contains(reference))
      return true;
    const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (!variable)
      return true;
    if (variable == slots_.array)
      block(reference, "its address is handed on");
    if (!variable->getType()->isPointerType())
      return true;
    LaneValue held = BlockInterpreter(state()).valueOf(variable, 0);
    if (held.isAddress() && held.variable == slots_.array)
      block(reference, "its address is handed on");
    return true;
  }

private:
  void addNames(const Stmt *code) {
    if (const auto *reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(code))
      aliases_.insert(reference);
    for (const Stmt *child : code->children())
      if (child)
        addNames(child);
  }

  bool visitPlace(const Expr *place) {
    BlockInterpreter interpreter = state();
    std::vector<LaneValue> places = interpreter.placesOf(place);
    const clang::DeclRefExpr *base = nameIn(place);
    bool ours = llvm::any_of(
        places, [&](const LaneValue &value) { return value.isAddress() && value.variable == slots_.array; });
    bool known = llvm::all_of(places, [](const LaneValue &value) { return value.isAddress(); });
    if (!known && base) {
      LaneValue start;
      const auto *variable = llvm::dyn_cast<VarDecl>(base->getDecl());
      if (variable == slots_.array)
        start = LaneValue::ofAddress(slots_.array, 0);
      else if (variable)
        start = interpreter.valueOf(variable, 0);
      ours = start.isAddress() && start.variable == slots_.array;
    }
    if (!ours)
      return true;
    known_.insert(base);
    if (targets_.contains(place)) {
      uses_.stored = true;
      uses_.usedAgain |= isAfter(place->getBeginLoc());
      return true;
    }
    bool result = llvm::all_of(places, [&](const LaneValue &value) {
      return value.isAddress() && value.variable == slots_.array && value.integer == slots_.base;
    });
    if (!isAfter(place->getBeginLoc()))
      uses_.readBefore |= !result;
    else if (!result || (slots_.result && !isInitOfResult(place)))
      block(place, "a slot is read that holds part of the fold");
    else
      uses_.onlyFirstThread &= bySingleThread();
    return true;
  }

  /// A serial fold may start from slot 0, which holds all of it from now on.
  bool isInitOfResult(const Expr *place) const {
    return slots_.resultHeldSlot && slots_.result->getInit() && contains(slots_.result->getInit(), place);
  }

  static const clang::DeclRefExpr *nameIn(const Expr *place) {
    while (true) {
      place = place->IgnoreParenImpCasts();
      if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place))
        place = subscript->getBase();
      else if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(place);
               unary && unary->getOpcode() == clang::UO_Deref)
        place = unary->getSubExpr();
      else if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(place);
               binary && binary->isAdditiveOp())
        place = binary->getLHS();
      else
        return llvm::dyn_cast<clang::DeclRefExpr>(place);
    }
  }

  void block(const Stmt *obstacle, std::string why) {
    if (uses_.obstacle)
      return;
    uses_.obstacle = obstacle;
    uses_.whyNot = std::move(why);
  }

  const FoldedSlots &slots_;
  SlotUses &uses_;
  llvm::SmallPtrSet<const Expr *, 16> targets_;
  llvm::SmallPtrSet<const Expr *, 16> known_, aliases_;
};

class ValueVisitor : public OutsideVisitor {
public:
  ValueVisitor(const clang::FunctionDecl &function, const BlockFolds &folds, const BlockFold &fold,
               const VarDecl *variable, ValueUses &uses)
      : OutsideVisitor(function, folds, &fold, fold), variable_(variable), uses_(uses) {}

  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl() != variable_ || !isAfter(reference->getBeginLoc()))
      return true;
    uses_.after = true;
    uses_.byFirstThread &= bySingleThread();
    return true;
  }

private:
  const VarDecl *variable_;
  ValueUses &uses_;
};

} // namespace

std::vector<const Stmt *> statementsOf(const BlockFold &fold) {
  std::vector<const Stmt *> statements;
  for (size_t i = fold.first; i <= fold.last; ++i)
    statements.push_back(fold.statement(i));
  for (const FoldedSlots &slots : fold.slots)
    if (slots.serialLoop && !llvm::is_contained(statements, slots.serialLoop))
      statements.push_back(slots.serialLoop);
  return statements;
}

const Stmt *loopAround(const Stmt &body, const Stmt *statement) {
  LoopFinder finder(statement);
  finder.TraverseStmt(&body);
  return finder.innermost;
}

SlotUses findSlotUses(const clang::FunctionDecl &function, const BlockFolds &folds,
                      llvm::ArrayRef<const BlockFold *> all, const BlockFold &fold,
                      const FoldedSlots &slots) {
  SlotUses uses;
  SlotVisitor(function, folds, all, fold, slots, uses).TraverseStmt(function.getBody());
  return uses;
}

ValueUses findValueUses(const clang::FunctionDecl &function, const BlockFolds &folds, const BlockFold &fold,
                        const VarDecl *variable) {
  ValueUses uses;
  ValueVisitor(function, folds, fold, variable, uses).TraverseStmt(function.getBody());
  return uses;
}

} // namespace warpwright
