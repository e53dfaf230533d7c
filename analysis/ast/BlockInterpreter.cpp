#include "analysis/ast/BlockInterpreter.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

const clang::FunctionDecl *calleeOf(const Stmt *statement) {
  if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(statement))
    statement = cleanups->getSubExpr();
  const auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
  return call ? call->getDirectCallee() : nullptr;
}

/// `cooperative_groups::sync(block)`, `block.sync()`.
bool isGroupBarrier(const Stmt *statement) {
  if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(statement))
    statement = cleanups->getSubExpr();
  const clang::FunctionDecl *callee = calleeOf(statement);
  if (!callee || !callee->getDeclName().isIdentifier() || callee->getName() != "sync")
    return false;
  const Expr *group = nullptr;
  if (const auto *member = llvm::dyn_cast<clang::CXXMemberCallExpr>(statement))
    group = member->getImplicitObjectArgument();
  else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(statement); call && call->getNumArgs() == 1)
    group = call->getArg(0);
  const clang::CXXRecordDecl *record =
      group ? group->getType().getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  return record && record->getName() == "thread_block";
}

bool isWarpBarrier(const Stmt *statement) {
  const clang::FunctionDecl *callee = calleeOf(statement);
  return callee && callee->getDeclName().isIdentifier() && callee->getName() == "__syncwarp";
}

const Expr *plain(const Expr *expression) {
  while (true) {
    const Expr *inner = expression->IgnoreParens();
    if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr();
    if (inner == expression)
      return inner;
    expression = inner;
  }
}

bool isPlainAssignment(const Expr *expression) {
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return binary->getOpcode() == clang::BO_Assign;
  const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expression);
  return call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2;
}

/// The operator of `a op= b`, also where a class overloads it; nothing for anything else.
std::optional<clang::BinaryOperatorKind> compoundOperator(const Expr *expression) {
  if (const auto *compound = llvm::dyn_cast<clang::CompoundAssignOperator>(expression))
    return clang::BinaryOperator::getOpForCompoundAssignment(compound->getOpcode());
  const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expression);
  if (!call || call->getNumArgs() != 2)
    return std::nullopt;
  switch (call->getOperator()) {
  case clang::OO_PlusEqual:
    return clang::BO_Add;
  case clang::OO_StarEqual:
    return clang::BO_Mul;
  default:
    return std::nullopt;
  }
}

std::pair<const Expr *, const Expr *> operandsOf(const Expr *assignment) {
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(assignment))
    return {binary->getLHS(), binary->getRHS()};
  const auto *call = llvm::cast<clang::CXXOperatorCallExpr>(assignment);
  return {call->getArg(0), call->getArg(1)};
}

} // namespace

bool isBlockBarrier(const Stmt *statement) {
  const clang::FunctionDecl *callee = calleeOf(statement);
  return (callee && callee->getDeclName().isIdentifier() && callee->getName() == "__syncthreads") ||
         isGroupBarrier(statement);
}

BlockInterpreter::BlockInterpreter(const clang::ASTContext &ast, KnownBlock block,
                                   const VariableChanges &changes, FoldNodes &nodes)
    : ast_(&ast), changes_(&changes), nodes_(&nodes), slots_(nodes) {
  threads_ = 1;
  for (int axis = 0; axis < 3; ++axis) {
    extents_[axis] = block.extents[axis];
    threads_ *= static_cast<unsigned>(block.extents[axis]);
  }
}

BlockInterpreter::Lanes BlockInterpreter::allLanes() const {
  Lanes lanes(threads_);
  for (unsigned lane = 0; lane < threads_; ++lane)
    lanes[lane] = lane;
  return lanes;
}

void BlockInterpreter::bind(const VarDecl *parameter, std::vector<LaneValue> values) {
  variables_[parameter] = std::move(values);
}

bool BlockInterpreter::fail(std::string why) {
  if (whyNot_.empty())
    whyNot_ = std::move(why);
  return false;
}

std::vector<LaneValue> BlockInterpreter::evaluate(const Expr *expression) {
  std::vector<LaneValue> values;
  for (unsigned lane = 0; lane < threads_; ++lane)
    values.push_back(value(expression, lane));
  return values;
}

std::vector<LaneValue> BlockInterpreter::placesOf(const Expr *lvalue) {
  std::vector<LaneValue> places;
  for (unsigned lane = 0; lane < threads_; ++lane)
    places.push_back(addressOf(lvalue, lane));
  return places;
}

std::optional<BlockInterpreter::Lanes> BlockInterpreter::lanesWhere(const Expr *condition,
                                                                    const Lanes &lanes) {
  Lanes chosen;
  for (unsigned lane : lanes) {
    LaneValue result = value(condition, lane);
    if (!result.isInteger())
      return std::nullopt;
    if (result.integer != 0)
      chosen.push_back(lane);
  }
  return chosen;
}

bool BlockInterpreter::run(const Stmt *statement, const Lanes &lanes) {
  if (!whyNot().empty())
    return false;
  if (!statement || lanes.empty() || llvm::isa<clang::NullStmt>(statement))
    return true;
  if (isSpent())
    return fail("it takes more steps than are followed");
  struct Depth {
    unsigned &depth;
    explicit Depth(unsigned &depth) : depth(++depth) {}
    ~Depth() { --depth; }
  } guard(depth_);
  if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(statement))
    return run(attributed->getSubStmt(), lanes);
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
    for (const Stmt *child : compound->body())
      if (!run(child, lanes))
        return false;
    return true;
  }
  if (llvm::isa<clang::DeclStmt>(statement))
    return runDeclaration(statement, lanes);
  if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(statement))
    return runIf(choice, lanes);
  if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(statement)) {
    if (loop->getConditionVariable())
      return fail("a loop's condition declares a variable");
    return runLoop(loop->getInit(), loop->getCond(), loop->getInc(), loop->getBody(), false, lanes);
  }
  if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(statement)) {
    if (loop->getConditionVariable())
      return fail("a loop's condition declares a variable");
    return runLoop(nullptr, loop->getCond(), nullptr, loop->getBody(), false, lanes);
  }
  if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(statement))
    return runLoop(nullptr, loop->getCond(), nullptr, loop->getBody(), true, lanes);
  if (const auto *expression = llvm::dyn_cast<Expr>(statement))
    return runExpression(plain(expression), lanes);
  return fail("it holds a statement that is not followed");
}

bool BlockInterpreter::runDeclaration(const Stmt *statement, const Lanes &lanes) {
  for (const clang::Decl *declaration : llvm::cast<clang::DeclStmt>(statement)->decls()) {
    const auto *variable = llvm::dyn_cast<VarDecl>(declaration);
    if (!variable)
      return fail("it declares something that is no variable");
    if (variable->hasAttr<clang::CUDASharedAttr>())
      continue;
    std::vector<LaneValue> values(threads_);
    if (variable->getInit() && !variable->getType()->isReferenceType())
      for (unsigned lane : lanes)
        values[lane] = value(variable->getInit(), lane);
    variables_[variable] = std::move(values);
  }
  return whyNot().empty();
}

bool BlockInterpreter::runExpression(const Expr *expression, const Lanes &lanes) {
  if (isBlockBarrier(expression)) {
    if (lanes.size() != threads_)
      return fail("some threads do not reach a barrier");
    slots_.barrier();
    return true;
  }
  if (isWarpBarrier(expression)) {
    slots_.warpBarrier();
    return true;
  }
  if (isPlainAssignment(expression) || compoundOperator(expression))
    return runAssignment(expression, lanes);
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
      unary && unary->isIncrementDecrementOp())
    return runIncrement(unary->getSubExpr(), unary->isIncrementOp() ? 1 : -1, lanes);
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
      binary && binary->getOpcode() == clang::BO_Comma)
    return runExpression(plain(binary->getLHS()), lanes) && runExpression(plain(binary->getRHS()), lanes);
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression))
    return runCall(call, lanes);
  if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression);
      cast && cast->getCastKind() == clang::CK_ToVoid)
    return true;
  return fail("it holds an expression that is not followed");
}

bool BlockInterpreter::runOnce(const Expr *assignment, const Lanes &lanes) {
  once_ = true;
  bool ran = runAssignment(assignment, lanes);
  once_ = false;
  return ran;
}

/// All threads read before any of them writes: a statement is one step.
bool BlockInterpreter::runAssignment(const Expr *expression, const Lanes &lanes) {
  std::vector<const Expr *> targets;
  const Expr *source = expression;
  while (isPlainAssignment(source)) {
    targets.push_back(operandsOf(source).first);
    source = plain(operandsOf(source).second->IgnoreImpCasts());
  }
  // Casts around the innermost value matter; those around nested assignments are looked through.
  if (!targets.empty() && !compoundOperator(source)) {
    const Expr *innermost = expression;
    while (isPlainAssignment(plain(operandsOf(innermost).second->IgnoreImpCasts())))
      innermost = plain(operandsOf(innermost).second->IgnoreImpCasts());
    source = operandsOf(innermost).second;
  }
  std::vector<LaneValue> values(threads_);
  if (std::optional<clang::BinaryOperatorKind> kind = compoundOperator(source)) {
    auto [target, operand] = operandsOf(source);
    targets.push_back(target);
    for (unsigned lane : lanes)
      values[lane] = combined(*kind, load(target, lane), value(operand, lane), source);
  } else {
    for (unsigned lane : lanes) {
      values[lane] = value(source, lane);
      bool variable = values[lane].isNumber() && values[lane].node->kind == FoldNode::Kind::Variable;
      if (once_ && !variable)
        values[lane] = LaneValue::ofNumber(nodes_->leaf(FoldNode::Kind::Expression, source, lane,
                                                        ast_->getTypeSize(targets.back()->getType())));
    }
  }
  for (const Expr *target : llvm::reverse(targets))
    if (!assign(target, values, lanes))
      return false;
  return whyNot().empty();
}

bool BlockInterpreter::runIncrement(const Expr *target, int64_t step, const Lanes &lanes) {
  std::vector<LaneValue> values(threads_);
  for (unsigned lane : lanes)
    values[lane] = combined(clang::BO_Add, load(target, lane), LaneValue::ofInteger(step), target);
  return assign(target, values, lanes);
}

bool BlockInterpreter::assign(const Expr *target, llvm::ArrayRef<LaneValue> values, const Lanes &lanes) {
  if (const VarDecl *variable = namedVariable(target);
      variable && !variable->hasAttr<clang::CUDASharedAttr>()) {
    if (!variable->isLocalVarDeclOrParm() || variable->getType()->isReferenceType() ||
        !(variable->getType()->isScalarType() || variable->getType()->isRecordType()))
      return fail("it changes '" + variable->getNameAsString() + "'");
    if (!variables_.contains(variable)) {
      std::vector<LaneValue> before(threads_);
      for (unsigned lane = 0; lane < threads_; ++lane)
        before[lane] = valueOf(variable, lane);
      variables_[variable] = std::move(before);
    }
    for (unsigned lane : lanes)
      variables_[variable][lane] = values[lane];
    return true;
  }
  unsigned bytes = ast_->getTypeSizeInChars(target->getType()).getQuantity();
  bool isVolatile = target->getType().isVolatileQualified();
  sawVolatile_ |= isVolatile;
  for (unsigned lane : lanes) {
    LaneValue place = addressOf(target, lane);
    if (!place.isAddress())
      return fail("it writes to memory that is not followed");
    slots_.write({place.variable, place.integer}, bytes, values[lane], lane, isVolatile);
  }
  return whyNot().empty();
}

bool BlockInterpreter::runIf(const clang::IfStmt *statement, const Lanes &lanes) {
  if (statement->getInit() || statement->getConditionVariable())
    return fail("a condition declares a variable");
  std::vector<LaneValue> conditions(threads_);
  Lanes yes, no;
  bool onData = false;
  for (unsigned lane : lanes) {
    conditions[lane] = value(statement->getCond(), lane);
    onData |= conditions[lane].kind == LaneValue::Kind::Comparison;
    if (conditions[lane].isUnknown() || conditions[lane].isNumber())
      return fail("it branches on a value that is not known");
    (conditions[lane].isInteger() && conditions[lane].integer == 0 ? no : yes).push_back(lane);
  }
  if (onData)
    return runChoice(statement, conditions, yes) && run(statement->getElse(), no);
  return run(statement->getThen(), yes) && run(statement->getElse(), no);
}

/// `if (a < b) a = b;` is a choice of the larger.
bool BlockInterpreter::runChoice(const clang::IfStmt *statement, llvm::ArrayRef<LaneValue> conditions,
                                 const Lanes &lanes) {
  const Stmt *body = statement->getThen();
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(body); compound && compound->size() == 1)
    body = compound->body_front();
  const auto *expression = llvm::dyn_cast<Expr>(body);
  if (!expression || !isPlainAssignment(plain(expression)) || statement->getElse())
    return fail("it branches on data");
  auto [target, source] = operandsOf(plain(expression));
  std::vector<LaneValue> values(threads_);
  for (unsigned lane : lanes)
    values[lane] = conditions[lane].isInteger()
                       ? value(source, lane)
                       : choose(conditions[lane], value(source, lane), load(target, lane), plain(expression));
  for (unsigned lane : lanes)
    if (values[lane].isUnknown())
      return fail("it branches on data");
  return assign(target, values, lanes);
}

bool BlockInterpreter::runLoop(const Stmt *init, const Expr *condition, const Expr *increment,
                               const Stmt *body, bool bodyFirst, const Lanes &lanes) {
  if (init && !run(init, lanes))
    return false;
  Lanes active = lanes;
  while (true) {
    if (bodyFirst && !run(body, active))
      return false;
    std::optional<Lanes> next = condition ? lanesWhere(condition, active) : std::nullopt;
    if (!next)
      return fail("how often a loop runs is not known");
    active = std::move(*next);
    if (active.empty())
      return whyNot().empty();
    if (!bodyFirst && !run(body, active))
      return false;
    if (increment && !runExpression(plain(increment), active))
      return false;
    if (isSpent())
      return fail("it takes more steps than are followed");
  }
}

bool BlockInterpreter::runCall(const clang::CallExpr *call, const Lanes &lanes) {
  const clang::FunctionDecl *callee = call->getDirectCallee();
  const clang::FunctionDecl *definition = nullptr;
  if (!callee || !callee->getBody(definition) || llvm::isa<clang::CXXMethodDecl>(callee) ||
      call->getNumArgs() != definition->getNumParams())
    return fail("it calls a function that is not followed");
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    if (definition->getParamDecl(i)->getType()->isReferenceType())
      return fail("it passes a variable by reference");
    std::vector<LaneValue> values(threads_);
    for (unsigned lane : lanes)
      values[lane] = value(call->getArg(i), lane);
    variables_[definition->getParamDecl(i)] = std::move(values);
  }
  return run(definition->getBody(), lanes);
}

} // namespace warpwright
