#include "analysis/ast/IndexRange.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <functional>

namespace warpwright {
namespace {

using clang::BinaryOperator;
using clang::Expr;
using clang::UnaryOperator;
using clang::VarDecl;

/// Values are kept where sums and products of two of them cannot overflow.
constexpr int64_t limit = (int64_t(1) << 31) - 1;

const VarDecl *variableOf(const Expr *expression) {
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

/// The variable that the statement changes, for the forms of change that a `for` increment takes.
const VarDecl *changedVariable(const clang::Stmt *statement) {
  if (const auto *unary = llvm::dyn_cast<UnaryOperator>(statement))
    return unary->isIncrementDecrementOp() ? variableOf(unary->getSubExpr()) : nullptr;
  if (const auto *binary = llvm::dyn_cast<BinaryOperator>(statement))
    return binary->isAssignmentOp() ? variableOf(binary->getLHS()) : nullptr;
  return nullptr;
}

std::optional<IntegerRange> checked(int64_t lowest, int64_t highest) {
  if (lowest < -limit || highest > limit || lowest > highest)
    return std::nullopt;
  return IntegerRange{lowest, highest};
}

std::optional<IntegerRange> combine(clang::BinaryOperatorKind kind, IntegerRange left, IntegerRange right) {
  bool constantRight = right.lowest == right.highest;
  switch (kind) {
  case clang::BO_Add:
    return checked(left.lowest + right.lowest, left.highest + right.highest);
  case clang::BO_Sub:
    return checked(left.lowest - right.highest, left.highest - right.lowest);
  case clang::BO_Mul: {
    auto [lowest, highest] = std::minmax({left.lowest * right.lowest, left.lowest * right.highest,
                                          left.highest * right.lowest, left.highest * right.highest});
    return checked(lowest, highest);
  }
  case clang::BO_Div:
    if (left.lowest < 0 || right.lowest <= 0)
      return std::nullopt;
    return checked(left.lowest / right.highest, left.highest / right.lowest);
  case clang::BO_Rem:
    if (left.lowest < 0 || right.lowest <= 0)
      return std::nullopt;
    return checked(0, std::min(left.highest, right.highest - 1));
  case clang::BO_And:
    // A mask that is not negative bounds the result whatever the other side holds.
    if (right.lowest >= 0)
      return checked(0, left.lowest >= 0 ? std::min(left.highest, right.highest) : right.highest);
    return std::nullopt;
  case clang::BO_Shr:
    if (!constantRight || right.lowest < 0 || right.lowest > 31 || left.lowest < 0)
      return std::nullopt;
    return checked(left.lowest >> right.lowest, left.highest >> right.lowest);
  case clang::BO_Shl:
    if (!constantRight || right.lowest < 0 || right.lowest > 31 || left.lowest < 0)
      return std::nullopt;
    return checked(left.lowest << right.lowest, left.highest << right.lowest);
  case clang::BO_Xor:
  case clang::BO_Or: {
    if (left.lowest < 0 || right.lowest < 0)
      return std::nullopt;
    uint64_t bits = static_cast<uint64_t>(std::max(left.highest, right.highest));
    while (bits & (bits + 1))
      bits |= bits >> 1;
    return checked(0, static_cast<int64_t>(bits));
  }
  default:
    return std::nullopt;
  }
}

/// The range, unless a value of that type could not hold it and would wrap.
std::optional<IntegerRange> fitting(std::optional<IntegerRange> range, clang::QualType type,
                                    const clang::ASTContext &ast) {
  if (!range || !type->isIntegerType() || ast.getTypeSize(type) < 32)
    return std::nullopt;
  if (type->isUnsignedIntegerOrEnumerationType() && range->lowest < 0)
    return std::nullopt;
  return range;
}

/// Counts, for each local variable, how it is changed besides its own loop's increment.
class UseCollector : public clang::ConstDynamicRecursiveASTVisitor {
public:
  template <typename Record> explicit UseCollector(Record record) : record_(record) {
    ShouldVisitImplicitCode = true;
  }

  bool VisitForStmt(const clang::ForStmt *loop) override {
    const auto *declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
    if (!declaration || !declaration->isSingleDecl() || !loop->getInc())
      return true;
    const auto *counter = llvm::dyn_cast<VarDecl>(declaration->getSingleDecl());
    if (counter && changedVariable(loop->getInc()) == counter) {
      increments_.insert(loop->getInc());
      record_(counter, loop, 0, false);
    }
    return true;
  }
  bool VisitUnaryOperator(const UnaryOperator *unary) override {
    if (unary->getOpcode() == clang::UO_AddrOf)
      escape(unary->getSubExpr());
    else
      change(unary);
    return true;
  }
  bool VisitBinaryOperator(const BinaryOperator *binary) override {
    change(binary);
    return true;
  }
  bool VisitVarDecl(const VarDecl *variable) override {
    if (variable->getType()->isReferenceType() && variable->getInit())
      escape(variable->getInit());
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (!callee || i >= callee->getNumParams() || callee->getParamDecl(i)->getType()->isReferenceType())
        escape(call->getArg(i));
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr *lambda) override {
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable())
        if (const auto *variable = llvm::dyn_cast<VarDecl>(capture.getCapturedVar()))
          record_(variable, nullptr, 0, capture.getCaptureKind() == clang::LCK_ByRef);
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *statement) override {
    for (unsigned i = 0; i < statement->getNumOutputs(); ++i)
      escape(statement->getOutputExpr(i));
    return true;
  }

private:
  void change(const clang::Stmt *statement) {
    if (increments_.contains(statement))
      return;
    if (const VarDecl *variable = changedVariable(statement))
      record_(variable, nullptr, 1, false);
  }
  void escape(const Expr *expression) {
    // An argument that was read (an lvalue turned into a value) is a copy and cannot be changed through the
    // call.
    if (expression->isGLValue())
      if (const VarDecl *variable = variableOf(expression))
        record_(variable, nullptr, 0, true);
  }

  std::function<void(const VarDecl *, const clang::ForStmt *, unsigned, bool)> record_;
  llvm::SmallPtrSet<const clang::Stmt *, 8> increments_;
};

} // namespace

IndexRanges::IndexRanges(const clang::ASTContext &ast, const clang::FunctionDecl &kernel, KnownBlock block)
    : ast_(ast), block_(block) {
  UseCollector collector(
      [this](const VarDecl *variable, const clang::ForStmt *loop, unsigned writes, bool escapes) {
        VariableUse &use = variables_[variable];
        if (loop)
          use.loop = loop;
        use.writes += writes;
        use.escapes |= escapes;
      });
  if (kernel.getBody())
    collector.TraverseStmt(kernel.getBody());
}

std::optional<IntegerRange> IndexRanges::rangeOf(const Expr *expression) const {
  expression = expression->IgnoreParenImpCasts();
  if (expression->isValueDependent() || depth_ > 32)
    return std::nullopt;
  Expr::EvalResult constant;
  if (expression->getType()->isIntegralOrEnumerationType() && expression->EvaluateAsInt(constant, ast_) &&
      constant.Val.getInt().isRepresentableByInt64())
    return checked(constant.Val.getInt().getExtValue(), constant.Val.getInt().getExtValue());

  struct Depth {
    unsigned &depth;
    explicit Depth(unsigned &depth) : depth(++depth) {}
    ~Depth() { --depth; }
  } guard(depth_);
  if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(expression)) {
    // A narrowing cast could wrap; nothing that fits the smaller type changes.
    std::optional<IntegerRange> range = rangeOf(cast->getSubExpr());
    bool fits = range && cast->getType()->isIntegerType() && ast_.getTypeSize(cast->getType()) >= 32 &&
                range->lowest >= 0;
    return fits ? range : std::nullopt;
  }
  if (std::optional<IntegerRange> range = rangeOfThreadIndex(expression))
    return range;
  if (const VarDecl *variable = variableOf(expression))
    return rangeOfVariable(variable);
  if (const auto *binary = llvm::dyn_cast<BinaryOperator>(expression))
    return fitting(rangeOfOperation(*binary), binary->getType(), ast_);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
    std::optional<IntegerRange> yes = rangeOf(choice->getTrueExpr());
    std::optional<IntegerRange> no = rangeOf(choice->getFalseExpr());
    if (yes && no)
      return IntegerRange{std::min(yes->lowest, no->lowest), std::max(yes->highest, no->highest)};
  }
  return std::nullopt;
}

std::optional<IntegerRange> IndexRanges::rangeOfOperation(const BinaryOperator &binary) const {
  std::optional<IntegerRange> left = rangeOf(binary.getLHS());
  std::optional<IntegerRange> right = rangeOf(binary.getRHS());
  // `x & 31` is bounded by the mask alone.
  if (!left && right && binary.getOpcode() == clang::BO_And && right->lowest >= 0)
    return IntegerRange{0, right->highest};
  return left && right ? combine(binary.getOpcode(), *left, *right) : std::nullopt;
}

std::optional<IntegerRange> IndexRanges::rangeOfThreadIndex(const Expr *expression) const {
  const auto *pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(expression);
  const auto *property =
      pseudo ? llvm::dyn_cast<clang::MSPropertyRefExpr>(pseudo->getSyntacticForm()) : nullptr;
  if (!property)
    return std::nullopt;
  const Expr *object = property->getBaseExpr()->IgnoreParenImpCasts();
  if (const auto *opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(object))
    object = opaque->getSourceExpr()->IgnoreParenImpCasts();
  const auto *base = llvm::dyn_cast<clang::DeclRefExpr>(object);
  llvm::StringRef axis = property->getPropertyDecl()->getName();
  if (!base || axis.size() != 1 || axis[0] < 'x' || axis[0] > 'z')
    return std::nullopt;
  auto extent = static_cast<int64_t>(block_.extents[axis[0] - 'x']);
  if (extent == 0)
    return std::nullopt;
  llvm::StringRef name = base->getDecl()->getName();
  if (name == "threadIdx")
    return IntegerRange{0, extent - 1};
  if (name == "blockDim")
    return IntegerRange{extent, extent};
  return std::nullopt;
}

std::optional<IntegerRange> IndexRanges::rangeOfVariable(const VarDecl *variable) const {
  if (!variable->isLocalVarDecl() || variable->isStaticLocal() || !variable->getType()->isIntegerType())
    return std::nullopt;
  auto found = variables_.find(variable);
  VariableUse use = found == variables_.end() ? VariableUse() : found->second;
  if (use.escapes || use.writes != 0 || !variable->getInit())
    return std::nullopt;
  std::optional<IntegerRange> range =
      use.loop ? rangeOfCounter(variable, use.loop) : rangeOf(variable->getInit());
  return fitting(range, variable->getType(), ast_);
}

std::optional<IntegerRange> IndexRanges::rangeOfCounter(const VarDecl *counter,
                                                        const clang::ForStmt *loop) const {
  std::optional<IntegerRange> start = rangeOf(counter->getInit());
  const auto *condition =
      loop->getCond() ? llvm::dyn_cast<BinaryOperator>(loop->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!start || !condition || variableOf(condition->getLHS()) != counter)
    return std::nullopt;
  std::optional<IntegerRange> bound = rangeOf(condition->getRHS());
  if (!bound)
    return std::nullopt;

  std::optional<int64_t> step;
  if (const auto *unary = llvm::dyn_cast<UnaryOperator>(loop->getInc()))
    step = unary->isIncrementOp() ? 1 : -1;
  else if (const auto *assignment = llvm::dyn_cast<clang::CompoundAssignOperator>(loop->getInc())) {
    std::optional<IntegerRange> amount = rangeOf(assignment->getRHS());
    bool additive = assignment->getOpcode() == clang::BO_AddAssign;
    if (amount && additive && amount->lowest == amount->highest)
      step = amount->lowest;
    else if (amount && additive && amount->lowest > 0 && condition->getOpcode() == clang::BO_LT)
      return checked(start->lowest, bound->highest - 1);
  }
  if (!step || *step == 0)
    return std::nullopt;
  bool strict = condition->getOpcode() == clang::BO_LT || condition->getOpcode() == clang::BO_GT;
  bool upward =
      *step > 0 && (condition->getOpcode() == clang::BO_LT || condition->getOpcode() == clang::BO_LE);
  bool downward =
      *step < 0 && (condition->getOpcode() == clang::BO_GT || condition->getOpcode() == clang::BO_GE);
  if (upward) {
    int64_t last = bound->highest - (strict ? 1 : 0);
    // From a constant start the counter only meets every step-th value.
    if (start->lowest == start->highest && last >= start->lowest)
      last = start->lowest + (last - start->lowest) / *step * *step;
    return checked(start->lowest, std::max(last, start->lowest));
  }
  if (downward)
    return checked(std::min(bound->lowest + (strict ? 1 : 0), start->highest), start->highest);
  return std::nullopt;
}

} // namespace warpwright
