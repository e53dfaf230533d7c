#include "analysis/ast/CanonicalLoops.h"

#include "analysis/ast/SameFile.h"
#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

/// Whether control may leave the loop other than through its condition.
class ExitFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool found = false;

  bool VisitReturnStmt(const clang::ReturnStmt *) override { return stop(); }
  bool VisitGotoStmt(const clang::GotoStmt *) override { return stop(); }
  bool VisitIndirectGotoStmt(const clang::IndirectGotoStmt *) override { return stop(); }
  bool VisitLabelStmt(const clang::LabelStmt *) override { return stop(); }
  bool VisitBreakStmt(const clang::BreakStmt *) override { return inner_ != 0 || stop(); }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }

  bool TraverseForStmt(const clang::ForStmt *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseForStmt(loop); });
  }
  bool TraverseWhileStmt(const clang::WhileStmt *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseWhileStmt(loop); });
  }
  bool TraverseDoStmt(const clang::DoStmt *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseDoStmt(loop); });
  }
  bool TraverseSwitchStmt(const clang::SwitchStmt *choice) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseSwitchStmt(choice); });
  }

private:
  template <typename Body> bool within(Body body) {
    ++inner_;
    bool goOn = body();
    --inner_;
    return goOn;
  }
  bool stop() {
    found = true;
    return false;
  }
  unsigned inner_ = 0; ///< loops and switches within the loop that a `break` would leave
};

/// Whether the value is the same in every iteration: constants, and variables that the loop does not change.
class InvarianceChecker : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit InvarianceChecker(const VariableChanges &changes) : changes_(changes) {
    ShouldVisitImplicitCode = true;
  }
  bool invariant = true;

  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (!variable)
      return true;
    // What other threads, or others through a pointer, may change is nobody's constant.
    bool local = variable->isLocalVarDeclOrParm() && !variable->isStaticLocal();
    bool fixed = variable->getType().isConstQualified() || variable->isConstexpr() || isBuiltIn(*variable);
    return (fixed || (local && changes_.isConstant(variable))) || stop();
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    return (unary->getOpcode() != clang::UO_Deref && !unary->isIncrementDecrementOp()) || stop();
  }
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *) override { return stop(); }
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    return !binary->isAssignmentOp() || stop();
  }
  bool VisitMemberExpr(const clang::MemberExpr *member) override { return !member->isArrow() || stop(); }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    // The getters behind threadIdx.x and its kin.
    bool special = callee && callee->getName().starts_with("__fetch_builtin");
    return special || stop();
  }

private:
  static bool isBuiltIn(const VarDecl &variable) {
    llvm::StringRef name = variable.getName();
    return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim" ||
           name == "warpSize";
  }
  bool stop() {
    invariant = false;
    return false;
  }
  const VariableChanges &changes_;
};

class Finder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Finder(const clang::ASTContext &ast, const KernelFacts &facts, std::vector<CanonicalLoop> &loops)
      : ast_(ast), facts_(facts), loops_(loops) {}

  bool TraverseForStmt(const clang::ForStmt *loop) override {
    const clang::ForStmt *outer = parent_;
    if (std::optional<CanonicalLoop> found = read(*loop)) {
      loops_.push_back(std::move(*found));
      parent_ = loop;
    }
    bool goOn = clang::ConstDynamicRecursiveASTVisitor::TraverseForStmt(loop);
    parent_ = outer;
    return goOn;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }

private:
  std::optional<CanonicalLoop> read(const clang::ForStmt &loop) const {
    if (!loop.getInit() || !loop.getCond() || !loop.getInc() || !loop.getBody() ||
        loop.getConditionVariable())
      return std::nullopt;
    CanonicalLoop result(*loop.getBody());
    result.statement = &loop;
    result.parent = parent_;
    if (!readInit(loop, result) || !readCondition(loop, result) || !readIncrement(loop, result))
      return std::nullopt;
    ExitFinder exits;
    exits.TraverseStmt(loop.getBody());
    if (exits.found || !result.changes.isConstant(result.counter) || !isInvariant(result.bound, result) ||
        (result.step && !isInvariant(result.step, result)) || !agrees(loop, result))
      return std::nullopt;
    join(result);
    return result;
  }

  static bool readInit(const clang::ForStmt &loop, CanonicalLoop &result) {
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(loop.getInit())) {
      const auto *variable =
          declaration->isSingleDecl() ? llvm::dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      if (!variable || !variable->getInit())
        return false;
      result.counter = variable;
      result.declaresCounter = true;
      result.init = variable->getInit();
    } else if (const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(loop.getInit());
               assignment && assignment->getOpcode() == clang::BO_Assign) {
      result.counter = namedVariable(assignment->getLHS());
      result.init = assignment->getRHS();
    }
    return result.counter && result.counter->isLocalVarDeclOrParm() &&
           result.counter->getType()->isIntegerType();
  }

  /// The counter may stand on either side.
  bool readCondition(const clang::ForStmt &loop, CanonicalLoop &result) const {
    const auto *condition = llvm::dyn_cast<clang::BinaryOperator>(loop.getCond()->IgnoreParenImpCasts());
    if (!condition || !(condition->isRelationalOp() || condition->getOpcode() == clang::BO_NE))
      return false;
    clang::BinaryOperatorKind kind = condition->getOpcode();
    result.bound = condition->getRHS();
    if (namedVariable(condition->getLHS()) != result.counter) {
      if (namedVariable(condition->getRHS()) != result.counter)
        return false;
      result.bound = condition->getLHS();
      kind = clang::BinaryOperator::isRelationalOp(kind) ? clang::BinaryOperator::reverseComparisonOp(kind)
                                                         : kind;
    }
    result.inclusive = kind == clang::BO_LE || kind == clang::BO_GE;
    result.notEqual = kind == clang::BO_NE;
    result.upward = kind == clang::BO_LT || kind == clang::BO_LE;
    return true;
  }

  bool readIncrement(const clang::ForStmt &loop, CanonicalLoop &result) const {
    const Expr *increment = loop.getInc()->IgnoreParenImpCasts();
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(increment)) {
      if (!unary->isIncrementDecrementOp() || namedVariable(unary->getSubExpr()) != result.counter)
        return false;
      result.constantStep = unary->isIncrementOp() ? 1 : -1;
      return true;
    }
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(increment);
    if (!binary || !binary->isAssignmentOp() || namedVariable(binary->getLHS()) != result.counter)
      return false;
    bool minus = binary->getOpcode() == clang::BO_SubAssign;
    if (binary->getOpcode() == clang::BO_Assign)
      result.step = addedTo(binary->getRHS(), result.counter, minus);
    else if (minus || binary->getOpcode() == clang::BO_AddAssign)
      result.step = binary->getRHS();
    if (!result.step || result.step->isValueDependent())
      return false;
    Expr::EvalResult value;
    if (result.step->EvaluateAsInt(value, ast_) && value.Val.getInt().isRepresentableByInt64())
      result.constantStep = minus ? -value.Val.getInt().getExtValue() : value.Val.getInt().getExtValue();
    return result.constantStep || !minus || !result.upward;
  }

  /// `d` of `i + d`, `d + i` and `i - d`.
  static const Expr *addedTo(const Expr *value, const VarDecl *counter, bool &minus) {
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(value->IgnoreParenImpCasts());
    if (!binary || !binary->isAdditiveOp())
      return nullptr;
    minus = binary->getOpcode() == clang::BO_Sub;
    if (namedVariable(binary->getLHS()) == counter)
      return binary->getRHS();
    return !minus && namedVariable(binary->getRHS()) == counter ? binary->getLHS() : nullptr;
  }

  /// The step leads towards the bound.
  static bool agrees(const clang::ForStmt &, CanonicalLoop &loop) {
    if (!loop.constantStep)
      return !loop.notEqual;
    if (*loop.constantStep == 0)
      return false;
    if (loop.notEqual)
      loop.upward = *loop.constantStep > 0;
    return loop.upward == (*loop.constantStep > 0);
  }

  bool isInvariant(const Expr *expression, const CanonicalLoop &loop) const {
    InvarianceChecker checker(loop.changes);
    checker.TraverseStmt(expression);
    return checker.invariant;
  }

  void join(CanonicalLoop &loop) const {
    Place place = placeOf(loop.statement->getForLoc(), ast_.getSourceManager());
    for (const LoopFacts &facts : facts_.loops)
      if (facts.place.place.line == place.line && facts.place.place.column == place.column &&
          inSameFile(facts.place.place, place) && !loop.facts)
        loop.facts = &facts;
    if (!loop.facts)
      return;
    for (const Reduction &reduction : facts_.reductions)
      if (reduction.loop == loop.facts->id)
        loop.reductions.push_back(&reduction);
  }

  const clang::ASTContext &ast_;
  const KernelFacts &facts_;
  std::vector<CanonicalLoop> &loops_;
  const clang::ForStmt *parent_ = nullptr;
};

} // namespace

std::vector<CanonicalLoop> findCanonicalLoops(const clang::FunctionDecl &function,
                                              const clang::ASTContext &ast, const KernelFacts &facts) {
  std::vector<CanonicalLoop> loops;
  if (function.getBody())
    Finder(ast, facts, loops).TraverseStmt(function.getBody());
  return loops;
}

} // namespace warpwright
