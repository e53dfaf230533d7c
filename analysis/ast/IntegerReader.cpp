#include "analysis/ast/IntegerReader.h"

#include "analysis/ast/SpecialRegisters.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/ScopeExit.h>

namespace warpwright {
namespace {

constexpr unsigned deepest = 64;

/// The expression that a function returns, where that is all it does.
const clang::Expr *onlyReturn(const clang::FunctionDecl &function) {
  const clang::FunctionDecl *definition = nullptr;
  if (!function.hasBody(definition) || definition->isDependentContext())
    return nullptr;
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(definition->getBody());
  if (!body || body->size() != 1)
    return nullptr;
  const auto *statement = llvm::dyn_cast<clang::ReturnStmt>(body->body_front());
  return statement ? statement->getRetValue() : nullptr;
}

} // namespace

IntegerReader::IntegerReader(const clang::ASTContext &ast, const clang::Stmt &body, SymbolTable &table,
                             Moment moment)
    : ast_(ast), table_(table), uses_(body), initialisers_(moment == Moment::WholeBody) {}

bool IntegerReader::isUnchanged(const clang::VarDecl &variable) const {
  if (variable.getType()->isReferenceType() || variable.getType().isVolatileQualified())
    return false;
  if (variable.isStaticLocal() || !(variable.isLocalVarDecl() || llvm::isa<clang::ParmVarDecl>(variable)))
    return variable.getType().isConstQualified() && !variable.isStaticLocal();
  return uses_.isOnlyRead(variable);
}

const clang::Expr *IntegerReader::valueOf(const clang::VarDecl &variable) const {
  if (llvm::isa<clang::ParmVarDecl>(variable) || !variable.isLocalVarDecl() || !isUnchanged(variable))
    return nullptr;
  return variable.getInit();
}

Expression IntegerReader::named(const std::string &text) {
  const Symbol *&symbol = symbols_[text];
  if (!symbol) {
    Symbol made;
    made.text = text;
    symbol = table_.make(std::move(made));
  }
  return Expression(symbol);
}

Expression IntegerReader::ofRegister(SymbolKind kind, unsigned axis) {
  Symbol symbol;
  symbol.kind = kind;
  symbol.index = axis;
  symbol.text = std::string(nameOfRegister(kind)) + "." + "xyz"[axis];
  symbol.mayBeNegative = false;
  return Expression(table_.intern(std::move(symbol)));
}

Expression IntegerReader::function(llvm::StringRef name, std::initializer_list<Expression> operands) {
  std::string text = name.str() + "(";
  for (const Expression &operand : operands)
    text += (text.back() == '(' ? "" : ", ") + operand.text();
  return named(text + ")");
}

Expression IntegerReader::quotient(const Expression &dividend, const Expression &divisor) {
  std::optional<int64_t> number = divisor.asConstant();
  std::optional<int64_t> known = dividend.asConstant();
  if (number && *number == 1)
    return dividend;
  if (number && known && *number > 0)
    return Expression(*known / *number);
  // Whole multiples of the divisor leave the division, so that what stays in it is unique.
  Expression outside, inside = dividend;
  if (number && *number > 0) {
    inside = Expression();
    for (const auto &[monomial, coefficient] : dividend.terms()) {
      Expression term(1);
      for (const Symbol *symbol : monomial)
        term = term * Expression(symbol);
      int64_t rest = coefficient % *number;
      // The rest lies in [0, divisor): only so is `n - 1` the same as `n + 15` less one divisor.
      rest += rest < 0 ? *number : 0;
      inside = inside + term * Expression(rest);
      outside = outside + term * Expression((coefficient - rest) / *number);
    }
    if (inside.isZero())
      return outside;
  } else if (std::optional<Expression> factor; !number && divisor.terms().size() == 1) {
    // (n + t - 1) / t is n over t, rounded up: (n - 1) / t + 1.
    const Symbol *symbol = divisor.terms().front().first.size() == 1 && divisor.terms().front().second == 1
                               ? divisor.terms().front().first.front()
                               : nullptr;
    if (symbol && (factor = dividend.coefficient(symbol)) && factor->asConstant().value_or(0) != 0) {
      outside = *factor;
      inside = dividend.without(symbol);
    }
  }
  return outside + function("div", {inside, divisor});
}

std::optional<Expression> IntegerReader::knownDivision(llvm::StringRef operation, const Expression &left,
                                                       const Expression &right) const {
  if (!insight_.division)
    return std::nullopt;
  if (operation == "/" || operation == "%")
    return insight_.division(operation, left, right);
  std::optional<int64_t> number = right.asConstant();
  if (operation == ">>" && number && *number >= 0 && *number < 31)
    return insight_.division("/", left, Expression(int64_t(1) << *number));
  if (operation == "&" && number && *number > 0 && *number < INT32_MAX && (*number & (*number + 1)) == 0)
    return insight_.division("%", left, Expression(*number + 1));
  return std::nullopt;
}

std::optional<Expression> IntegerReader::combine(llvm::StringRef operation,
                                                 const std::optional<Expression> &left,
                                                 const std::optional<Expression> &right) {
  if (!left || !right)
    return std::nullopt;
  if (std::optional<Expression> known = knownDivision(operation, *left, *right))
    return known;
  if (operation == "+")
    return *left + *right;
  if (operation == "-")
    return *left - *right;
  if (operation == "*")
    return *left * *right;
  if (operation == "/")
    return quotient(*left, *right);
  if (operation == "ceil_div")
    return quotient(*left + *right - Expression(1), *right);
  std::optional<int64_t> a = left->asConstant(), b = right->asConstant();
  if (operation == "<<" && b && *b >= 0 && *b < 31)
    return *left * Expression(int64_t(1) << *b);
  if (operation == ">>" && b && *b >= 0 && *b < 31)
    return quotient(*left, Expression(int64_t(1) << *b));
  if (operation == "min" || operation == "max") {
    if (a && b)
      return Expression(operation == "min" ? std::min(*a, *b) : std::max(*a, *b));
    if (*left == *right)
      return left;
    // Their order does not matter.
    bool inOrder = left->text() < right->text();
    return function(operation, {inOrder ? *left : *right, inOrder ? *right : *left});
  }
  return function("'" + operation.str() + "'", {*left, *right});
}

std::optional<Expression> IntegerReader::read(const ScalarExpression &expression,
                                              const std::map<std::string, Expression> &names) {
  ScalarExpression::Part part = expression.outermost();
  if (part.literal)
    return Expression(*part.literal);
  if (part.operation.empty()) {
    auto found = names.find(part.name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<Expression> operands;
  for (const ScalarExpression &operand : part.operands) {
    std::optional<Expression> value = read(operand, names);
    if (!value)
      return std::nullopt;
    operands.push_back(std::move(*value));
  }
  if (operands.size() == 2)
    return combine(part.operation, operands[0], operands[1]);
  if (operands.size() == 1)
    return part.operation == "+"   ? operands[0]
           : part.operation == "-" ? Expression() - operands[0]
                                   : function("'" + part.operation.str() + "'", {operands[0]});
  return function("'" + part.operation.str() + "'", {operands[0], operands[1], operands[2]});
}

std::optional<Expression> IntegerReader::read(const clang::VarDecl &variable) {
  if (auto argument = arguments_.find(&variable); argument != arguments_.end())
    return argument->second;
  if (const clang::Expr *value = valueOf(variable)) {
    ++initialisers_;
    std::optional<Expression> inside = read(*value);
    --initialisers_;
    if (inside)
      return inside;
  }
  // What may change is the same only where nothing happens in between.
  if (!isUnchanged(variable) && initialisers_ != 0)
    return std::nullopt;
  return named(variable.getNameAsString() + "@" + std::to_string(variable.getID()));
}

std::optional<Expression> IntegerReader::readSpecialRegister(const clang::Expr &expression) {
  auto found = specialRegisterOf(expression);
  if (!found)
    return std::nullopt;
  if (insight_.ofRegister)
    if (std::optional<Expression> known = insight_.ofRegister(found->first, found->second))
      return known;
  return ofRegister(found->first, found->second);
}

std::optional<Expression> IntegerReader::readCall(const clang::Expr &expression) {
  const auto *call = llvm::dyn_cast<clang::CallExpr>(&expression);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || callee->getNumParams() != call->getNumArgs() || llvm::isa<clang::CXXMemberCallExpr>(call))
    return std::nullopt;
  std::vector<Expression> operands;
  for (const clang::Expr *argument : call->arguments()) {
    std::optional<Expression> value = read(*argument);
    if (!value)
      return std::nullopt;
    operands.push_back(std::move(*value));
  }
  llvm::StringRef name = callee->getDeclName().isIdentifier() ? callee->getName() : "";
  bool isStandard =
      callee->isInStdNamespace() || ast_.getSourceManager().isInSystemHeader(callee->getLocation());
  if ((name == "min" || name == "max") && operands.size() == 2 && isStandard)
    return combine(name, operands[0], operands[1]);
  const clang::Expr *result = onlyReturn(*callee);
  const clang::FunctionDecl *definition = nullptr;
  if (!result || !callee->hasBody(definition))
    return std::nullopt;
  auto outer = arguments_;
  for (unsigned i = 0; i < operands.size(); ++i)
    arguments_.insert_or_assign(definition->getParamDecl(i), operands[i]);
  std::optional<Expression> value = read(*result);
  arguments_ = std::move(outer);
  return value;
}

std::optional<Expression> IntegerReader::readOperation(const clang::Expr &expression) {
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) {
    if (binary->isAssignmentOp() || binary->isCommaOp())
      return std::nullopt;
    return combine(binary->getOpcodeStr(), read(*binary->getLHS()), read(*binary->getRHS()));
  }
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&expression)) {
    std::optional<Expression> operand = read(*unary->getSubExpr());
    if (operand && unary->getOpcode() == clang::UO_Plus)
      return operand;
    if (operand && unary->getOpcode() == clang::UO_Minus)
      return Expression() - *operand;
    return std::nullopt;
  }
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(&expression)) {
    const clang::VarDecl *variable = VariableUses::variableOf(member);
    if (!variable || (!isUnchanged(*variable) && initialisers_ != 0))
      return std::nullopt;
    std::string path;
    for (const clang::Expr *part = member; const auto *inner = llvm::dyn_cast<clang::MemberExpr>(part);
         part = inner->getBase()->IgnoreParenImpCasts())
      path = "." + inner->getMemberDecl()->getNameAsString() + path;
    return named(variable->getNameAsString() + "@" + std::to_string(variable->getID()) + path);
  }
  return readCall(expression);
}

std::optional<Expression> IntegerReader::read(const clang::Expr &expression) {
  if (depth_ > deepest)
    return std::nullopt;
  ++depth_;
  llvm::scope_exit leave([&] { --depth_; });
  const clang::Expr *inner = expression.IgnoreParenImpCasts();
  if (const auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner))
    return read(*temporary->getSubExpr());
  if (const auto *substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner))
    return read(*substituted->getReplacement());
  if (const auto *standard = llvm::dyn_cast<clang::CXXDefaultArgExpr>(inner))
    return read(*standard->getExpr());
  if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(inner))
    return cast->getType()->isIntegralOrEnumerationType() &&
                   cast->getSubExpr()->getType()->isIntegralOrEnumerationType()
               ? read(*cast->getSubExpr())
               : std::nullopt;
  if (std::optional<Expression> special = readSpecialRegister(*inner))
    return special;
  if (inner->isValueDependent() || !inner->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (inner->EvaluateAsInt(result, ast_)) {
    std::optional<int64_t> value = result.Val.getInt().tryExtValue();
    return value ? std::optional(Expression(*value)) : std::nullopt;
  }
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    return variable ? read(*variable) : std::nullopt;
  }
  return readOperation(*inner);
}

std::optional<std::array<Expression, 3>> IntegerReader::readExtents(const clang::Expr &expression) {
  const clang::Expr *inner = expression.IgnoreImplicit();
  while (inner != inner->IgnoreParenCasts()->IgnoreImplicit())
    inner = inner->IgnoreParenCasts()->IgnoreImplicit();
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const clang::Expr *value = variable ? valueOf(*variable) : nullptr;
    if (value && value->IgnoreImplicit()->getType()->isRecordType()) {
      ++initialisers_;
      auto extents = readExtents(*value);
      --initialisers_;
      return extents;
    }
  }
  std::array<Expression, 3> extents = {Expression(1), Expression(1), Expression(1)};
  if (inner->getType()->isIntegralOrEnumerationType()) {
    std::optional<Expression> x = read(*inner);
    if (!x)
      return std::nullopt;
    extents[0] = *x;
    return extents;
  }
  const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
  if (!construct || construct->getConstructor()->getParent()->getName() != "dim3" ||
      construct->getNumArgs() > 3)
    return std::nullopt;
  if (VariableUses::isCopy(*construct))
    return readExtents(*construct->getArg(0));
  for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
    std::optional<Expression> value = read(*construct->getArg(i));
    if (!value)
      return std::nullopt;
    extents[i] = *value;
  }
  return extents;
}

} // namespace warpwright
