// The expressions that BlockInterpreter follows.

#include "analysis/ast/BlockInterpreter.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

bool isHalf(clang::QualType type) {
  const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && (record->getName() == "__half" || record->getName() == "__nv_bfloat16");
}

std::optional<FoldOperation> operationOf(unsigned opcode) {
  switch (opcode) {
  case clang::BO_Add:
    return FoldOperation::Sum;
  case clang::BO_Mul:
    return FoldOperation::Product;
  case clang::BO_And:
    return FoldOperation::BitAnd;
  case clang::BO_Or:
    return FoldOperation::BitOr;
  case clang::BO_Xor:
    return FoldOperation::BitXor;
  case clang::BO_LAnd:
    return FoldOperation::LogicalAnd;
  case clang::BO_LOr:
    return FoldOperation::LogicalOr;
  default:
    return std::nullopt;
  }
}

/// What a function of two numbers does, by the names that CUDA and C++ give them.
std::optional<FoldOperation> operationOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<FoldOperation>>(name)
      .Cases({"max", "umax", "llmax", "ullmax", "fmax", "fmaxf", "__hmax"}, FoldOperation::Maximum)
      .Cases({"min", "umin", "llmin", "ullmin", "fmin", "fminf", "__hmin"}, FoldOperation::Minimum)
      .Cases({"__hadd", "__fadd_rn", "__dadd_rn"}, FoldOperation::Sum)
      .Cases({"__hmul", "__fmul_rn", "__dmul_rn"}, FoldOperation::Product)
      .Default(std::nullopt);
}

bool isSystem(const clang::FunctionDecl &function) {
  return function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation()) ||
         function.getBuiltinID() != 0;
}

} // namespace

LaneValue BlockInterpreter::wrapped(int64_t integer, const Expr *typed) const {
  clang::QualType type = typed->getType();
  if (!type->isIntegralOrEnumerationType())
    return {};
  unsigned bits = ast_->getIntWidth(type);
  if (bits < 64) {
    uint64_t low = static_cast<uint64_t>(integer) & ((uint64_t(1) << bits) - 1);
    bool negative = type->isSignedIntegerOrEnumerationType() && ((low >> (bits - 1)) & 1);
    integer = static_cast<int64_t>(negative ? low | ~((uint64_t(1) << bits) - 1) : low);
  }
  return LaneValue::ofInteger(integer);
}

std::optional<int64_t> BlockInterpreter::constantOf(const Expr *expression) {
  auto [known, isNew] = constants_.try_emplace(expression, std::nullopt);
  if (!isNew)
    return known->second;
  Expr::EvalResult result;
  if (!expression->isValueDependent() && expression->getType()->isIntegralOrEnumerationType() &&
      expression->EvaluateAsInt(result, *ast_) && result.Val.getInt().isRepresentableByInt64())
    known->second = result.Val.getInt().getExtValue();
  return known->second;
}

std::optional<int64_t> BlockInterpreter::specialRegister(const Expr *expression, unsigned lane) const {
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
  unsigned dimension = axis[0] - 'x';
  llvm::StringRef name = base->getDecl()->getName();
  if (name == "blockDim")
    return static_cast<int64_t>(extents_[dimension]);
  if (name != "threadIdx")
    return std::nullopt;
  uint64_t index = lane;
  for (unsigned below = 0; below < dimension; ++below)
    index /= extents_[below];
  return static_cast<int64_t>(index % extents_[dimension]);
}

LaneValue BlockInterpreter::value(const Expr *expression, unsigned lane) {
  expression = expression->IgnoreParens();
  ++steps_;
  if (isSpent())
    return {};
  struct Depth {
    unsigned &depth;
    explicit Depth(unsigned &depth) : depth(++depth) {}
    ~Depth() { --depth; }
  } guard(depth_);
  if (std::optional<int64_t> constant = constantOf(expression))
    return LaneValue::ofInteger(*constant);
  if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
    return value(cleanups->getSubExpr(), lane);
  if (const auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return value(temporary->getSubExpr(), lane);
  if (const auto *substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return value(substituted->getReplacement(), lane);
  if (std::optional<int64_t> special = specialRegister(expression, lane))
    return LaneValue::ofInteger(*special);
  if (llvm::isa<clang::FloatingLiteral>(expression))
    return LaneValue::ofNumber(nodes_->leaf(FoldNode::Kind::Constant, expression, 0, 0));
  if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression))
    return castValue(cast, lane);
  if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(expression)) {
    // Numbers that are classes are copied by constructors.
    bool copies = isHalf(construct->getType()) && construct->getNumArgs() == 1 &&
                  construct->getConstructor()->isCopyOrMoveConstructor();
    const Expr *source = copies ? construct->getArg(0)->IgnoreParenImpCasts() : nullptr;
    if (!source)
      return {};
    return source->isLValue() ? load(source, lane) : value(source, lane);
  }
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_AddrOf)
      return addressOf(unary->getSubExpr(), lane);
    LaneValue operand = value(unary->getSubExpr(), lane);
    if (!operand.isInteger())
      return {};
    switch (unary->getOpcode()) {
    case clang::UO_Plus:
      return operand;
    case clang::UO_Minus:
      return wrapped(-operand.integer, unary);
    case clang::UO_Not:
      return wrapped(~operand.integer, unary);
    case clang::UO_LNot:
      return LaneValue::ofInteger(operand.integer == 0);
    default:
      return {};
    }
  }
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return binaryValue(binary, lane);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
    LaneValue condition = value(choice->getCond(), lane);
    if (condition.isInteger())
      return value(condition.integer ? choice->getTrueExpr() : choice->getFalseExpr(), lane);
    return choose(condition, value(choice->getTrueExpr(), lane), value(choice->getFalseExpr(), lane), choice);
  }
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression))
    return callValue(call, lane);
  return {};
}

/// Numbers keep their identity through conversions that lose nothing a fold could tell.
LaneValue BlockInterpreter::castValue(const clang::CastExpr *cast, unsigned lane) {
  const Expr *inner = cast->getSubExpr();
  if (cast->getCastKind() == clang::CK_LValueToRValue)
    return load(inner, lane);
  if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
    return addressOf(inner, lane);
  LaneValue operand = value(inner, lane);
  switch (cast->getCastKind()) {
  case clang::CK_NoOp:
    return operand;
  case clang::CK_BitCast:
  case clang::CK_AddressSpaceConversion:
    return operand.isAddress() ? operand : LaneValue();
  case clang::CK_IntegralCast: {
    if (operand.isInteger())
      return wrapped(operand.integer, cast);
    bool keepsOrder = cast->getType()->isSignedIntegerOrEnumerationType() ==
                          inner->getType()->isSignedIntegerOrEnumerationType() ||
                      ast_->getTypeSize(cast->getType()) > ast_->getTypeSize(inner->getType());
    bool fits = operand.isNumber() && ast_->getTypeSize(cast->getType()) >= operand.node->bits;
    return fits && keepsOrder ? operand : LaneValue();
  }
  case clang::CK_IntegralToFloating:
    return operand.isInteger() ? LaneValue::ofNumber(asNode(operand, cast)) : LaneValue();
  case clang::CK_FloatingCast:
    return operand.isNumber() && operand.node->kind == FoldNode::Kind::Constant ? operand : LaneValue();
  case clang::CK_IntegralToBoolean:
    if (operand.isInteger())
      return LaneValue::ofInteger(operand.integer != 0);
    return operand.isNumber() ? operand : LaneValue();
  case clang::CK_UserDefinedConversion:
  case clang::CK_ConstructorConversion:
    return isHalf(cast->getType()) && isHalf(inner->getType()) ? operand : LaneValue();
  default:
    return {};
  }
}

LaneValue BlockInterpreter::binaryValue(const clang::BinaryOperator *binary, unsigned lane) {
  if (binary->isAssignmentOp()) {
    fail("it assigns within an expression");
    return {};
  }
  if (binary->getOpcode() == clang::BO_Comma)
    return value(binary->getRHS(), lane);
  LaneValue left = value(binary->getLHS(), lane);
  // What the language does not evaluate is not read either.
  if (left.isInteger() && binary->getOpcode() == clang::BO_LAnd && left.integer == 0)
    return LaneValue::ofInteger(0);
  if (left.isInteger() && binary->getOpcode() == clang::BO_LOr && left.integer != 0)
    return LaneValue::ofInteger(1);
  LaneValue right = value(binary->getRHS(), lane);
  if (left.isInteger() && binary->isLogicalOp() && right.kind == LaneValue::Kind::Comparison)
    return right;
  if (binary->getType()->isPointerType() && binary->isAdditiveOp()) {
    if (right.isAddress())
      std::swap(left, right);
    if (!left.isAddress() || !right.isInteger())
      return {};
    return shifted(left, binary, binary->getOpcode() == clang::BO_Sub ? -right.integer : right.integer);
  }
  return combined(binary->getOpcode(), left, right, binary);
}

LaneValue BlockInterpreter::shifted(LaneValue pointer, const Expr *typed, int64_t elements) const {
  clang::QualType pointee = typed->getType()->getPointeeType();
  pointer.integer += elements * ast_->getTypeSizeInChars(pointee).getQuantity();
  return pointer;
}

const FoldNode *BlockInterpreter::asNode(LaneValue value, const Expr *where) {
  if (value.isNumber())
    return value.node;
  return value.isInteger() ? nodes_->leaf(FoldNode::Kind::Constant, where, value.integer, 0) : nullptr;
}

LaneValue BlockInterpreter::combined(unsigned opcode, LaneValue left, LaneValue right, const Expr *where) {
  auto kind = static_cast<clang::BinaryOperatorKind>(opcode);
  if (left.isAddress() && right.isInteger() && (kind == clang::BO_Add || kind == clang::BO_Sub) &&
      where->getType()->isPointerType())
    return shifted(left, where, kind == clang::BO_Sub ? -right.integer : right.integer);
  if (left.isInteger() && right.isInteger())
    return integers(opcode, left.integer, right.integer, where);
  bool numbers = (left.isNumber() || left.isInteger()) && (right.isNumber() || right.isInteger());
  if (!numbers)
    return {};
  const FoldNode *first = asNode(left, where), *second = asNode(right, where);
  if (clang::BinaryOperator::isRelationalOp(kind)) {
    LaneValue comparison;
    comparison.kind = LaneValue::Kind::Comparison;
    comparison.node = first;
    comparison.other = second;
    comparison.comparison = opcode;
    return comparison;
  }
  std::optional<FoldOperation> operation = operationOf(opcode);
  return operation ? LaneValue::ofNumber(nodes_->combine(*operation, first, second, where)) : LaneValue();
}

LaneValue BlockInterpreter::integers(unsigned opcode, int64_t left, int64_t right, const Expr *where) {
  switch (static_cast<clang::BinaryOperatorKind>(opcode)) {
  case clang::BO_Add:
    return wrapped(left + right, where);
  case clang::BO_Sub:
    return wrapped(left - right, where);
  case clang::BO_Mul:
    return wrapped(static_cast<int64_t>(static_cast<uint64_t>(left) * static_cast<uint64_t>(right)), where);
  case clang::BO_Div:
    return right == 0 || right == -1 ? LaneValue() : wrapped(left / right, where);
  case clang::BO_Rem:
    return right == 0 || right == -1 ? LaneValue() : wrapped(left % right, where);
  case clang::BO_And:
    return wrapped(left & right, where);
  case clang::BO_Or:
    return wrapped(left | right, where);
  case clang::BO_Xor:
    return wrapped(left ^ right, where);
  case clang::BO_Shl:
    return right < 0 || right > 63 ? LaneValue()
                                   : wrapped(static_cast<int64_t>(uint64_t(left) << right), where);
  case clang::BO_Shr:
    return right < 0 || right > 63 || left < 0 ? LaneValue() : wrapped(left >> right, where);
  case clang::BO_LAnd:
    return LaneValue::ofInteger(left && right);
  case clang::BO_LOr:
    return LaneValue::ofInteger(left || right);
  case clang::BO_EQ:
    return LaneValue::ofInteger(left == right);
  case clang::BO_NE:
    return LaneValue::ofInteger(left != right);
  case clang::BO_LT:
    return LaneValue::ofInteger(left < right);
  case clang::BO_LE:
    return LaneValue::ofInteger(left <= right);
  case clang::BO_GT:
    return LaneValue::ofInteger(left > right);
  case clang::BO_GE:
    return LaneValue::ofInteger(left >= right);
  default:
    return {};
  }
}

/// A choice of the operands of its own condition is a minimum or a maximum.
LaneValue BlockInterpreter::choose(LaneValue condition, LaneValue yes, LaneValue no, const Expr *where) {
  if (condition.kind != LaneValue::Kind::Comparison || !yes.isNumber() || !no.isNumber())
    return {};
  bool same = yes.node == condition.node && no.node == condition.other;
  bool swapped = yes.node == condition.other && no.node == condition.node;
  if (!same && !swapped)
    return {};
  bool greater = condition.comparison == clang::BO_GT || condition.comparison == clang::BO_GE;
  FoldOperation operation = greater == same ? FoldOperation::Maximum : FoldOperation::Minimum;
  return LaneValue::ofNumber(nodes_->combine(operation, no.node, yes.node, where, /*byComparison=*/true));
}

LaneValue BlockInterpreter::callValue(const clang::CallExpr *call, unsigned lane) {
  const clang::FunctionDecl *callee = call->getDirectCallee();
  if (!callee) {
    if (!once_)
      fail("it calls through a pointer");
    return {};
  }
  if (const auto *overloaded = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
      overloaded && overloaded->getNumArgs() == 2 && isHalf(call->getType()) &&
      isHalf(call->getArg(0)->getType()) && isHalf(call->getArg(1)->getType())) {
    unsigned opcode = overloaded->getOperator() == clang::OO_Plus   ? clang::BO_Add
                      : overloaded->getOperator() == clang::OO_Star ? clang::BO_Mul
                                                                    : clang::BO_Comma;
    auto operand = [&](unsigned i) {
      const Expr *argument = call->getArg(i)->IgnoreParenImpCasts();
      return argument->isLValue() ? load(argument, lane) : value(argument, lane);
    };
    return opcode == clang::BO_Comma ? LaneValue() : combined(opcode, operand(0), operand(1), call);
  }
  std::optional<FoldOperation> operation =
      callee->getDeclName().isIdentifier() ? operationOf(callee->getName()) : std::nullopt;
  if (operation && isSystem(*callee) && call->getNumArgs() == 2) {
    auto operand = [&](unsigned i) {
      const Expr *argument = call->getArg(i);
      return argument->isGLValue() ? load(argument->IgnoreParenImpCasts(), lane) : value(argument, lane);
    };
    LaneValue left = operand(0), right = operand(1);
    if (left.isInteger() && right.isInteger())
      return LaneValue::ofInteger(*operation == FoldOperation::Maximum
                                      ? std::max(left.integer, right.integer)
                                      : std::min(left.integer, right.integer));
    const FoldNode *first = asNode(left, call), *second = asNode(right, call);
    return first && second ? LaneValue::ofNumber(nodes_->combine(*operation, first, second, call))
                           : LaneValue();
  }
  // A function of the user's that is one expression over its parameters.
  const clang::FunctionDecl *definition = nullptr;
  const auto *body = llvm::dyn_cast_or_null<clang::CompoundStmt>(callee->getBody(definition));
  const auto *result =
      body && body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
  bool isMethod = llvm::isa<clang::CXXMethodDecl>(callee);
  unsigned skipped = isMethod && llvm::isa<clang::CXXOperatorCallExpr>(call) ? 1 : 0;
  if (!result || !result->getRetValue() || call->getNumArgs() - skipped != definition->getNumParams()) {
    if (!once_)
      fail("it calls a function that is not followed");
    return {};
  }
  for (unsigned i = 0; i < definition->getNumParams(); ++i) {
    const Expr *argument = call->getArg(i + skipped);
    std::vector<LaneValue> &values = variables_[definition->getParamDecl(i)];
    values.resize(threads_);
    values[lane] =
        argument->isGLValue() ? load(argument->IgnoreParenImpCasts(), lane) : value(argument, lane);
  }
  return value(result->getRetValue(), lane);
}

LaneValue BlockInterpreter::valueOf(const VarDecl *variable, unsigned lane) {
  auto known = variables_.find(variable);
  if (known != variables_.end())
    return known->second[lane];
  if (variable->getName() == "warpSize")
    return LaneValue::ofInteger(32);
  clang::QualType type = variable->getType().getNonReferenceType();
  bool holds = changes_->isConstant(variable) && variable->getInit() &&
               !variable->getType()->isReferenceType() &&
               (variable->isLocalVarDecl() || type.isConstQualified());
  if (holds) {
    LaneValue initial = value(variable->getInit(), lane);
    if (initial.isInteger() || initial.isAddress())
      return initial;
  }
  bool isNumber = type->isArithmeticType() || isHalf(type);
  if (!isNumber || !variable->isLocalVarDeclOrParm())
    return {};
  return LaneValue::ofNumber(nodes_->leaf(FoldNode::Kind::Variable, variable, lane, ast_->getTypeSize(type)));
}

LaneValue BlockInterpreter::load(const Expr *place, unsigned lane) {
  place = place->IgnoreParens();
  if (const VarDecl *variable = namedVariable(place); variable && !variable->hasAttr<clang::CUDASharedAttr>())
    return valueOf(variable, lane);
  if (std::optional<int64_t> special = specialRegister(place, lane))
    return LaneValue::ofInteger(*special);
  if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(place);
      cast && cast->getCastKind() == clang::CK_NoOp)
    return load(cast->getSubExpr(), lane);
  LaneValue address = addressOf(place, lane);
  if (!address.isAddress())
    return {};
  bool isVolatile = place->getType().isVolatileQualified();
  sawVolatile_ |= isVolatile;
  unsigned bytes = ast_->getTypeSizeInChars(place->getType()).getQuantity();
  return slots_.read({address.variable, address.integer}, bytes, lane, isVolatile);
}

LaneValue BlockInterpreter::addressOf(const Expr *place, unsigned lane) {
  place = place->IgnoreParens();
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(place)) {
    const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    return variable && variable->hasAttr<clang::CUDASharedAttr>() ? LaneValue::ofAddress(variable, 0)
                                                                  : LaneValue();
  }
  if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(place);
      cast && cast->getCastKind() == clang::CK_NoOp)
    return addressOf(cast->getSubExpr(), lane);
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(place);
      unary && unary->getOpcode() == clang::UO_Deref) {
    LaneValue pointer = value(unary->getSubExpr(), lane);
    return pointer.isAddress() ? pointer : LaneValue();
  }
  const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place);
  if (!subscript)
    return {};
  LaneValue base = value(subscript->getBase(), lane);
  LaneValue index = value(subscript->getIdx(), lane);
  if (!base.isAddress() || !index.isInteger())
    return {};
  base.integer += index.integer * ast_->getTypeSizeInChars(subscript->getType()).getQuantity();
  return base;
}

} // namespace warpwright
