#include "analysis/annotation/ScalarExpression.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MathExtras.h>

#include <limits>

namespace warpwright {
namespace {

constexpr int64_t Smallest = std::numeric_limits<int64_t>::min();

std::optional<int64_t> sizeofName(llvm::StringRef name) {
  if (!name.consume_front("sizeof(") || !name.consume_back(")"))
    return std::nullopt;
  return sizeOfBuiltinType(name);
}

} // namespace

class ScalarExpressionEvaluator {
public:
  ScalarExpressionEvaluator(const ScalarExpression &expression, const ScalarValues &values)
      : expression_(expression), values_(values) {}

  llvm::Expected<int64_t> evaluate(unsigned index) const;

private:
  using Op = ScalarExpression::Op;
  using Node = ScalarExpression::Node;

  llvm::Expected<int64_t> evaluateName(const Node &node) const;
  llvm::Expected<int64_t> evaluateLogic(const Node &node) const;
  llvm::Expected<int64_t> evaluateUnary(const Node &node, int64_t value) const;
  llvm::Expected<int64_t> evaluateBinary(const Node &node, int64_t a, int64_t b) const;
  llvm::Expected<int64_t> evaluateArithmetic(const Node &node, int64_t a, int64_t b) const;
  llvm::Expected<int64_t> evaluateDivision(const Node &node, int64_t a, int64_t b) const;
  llvm::Expected<int64_t> evaluateShift(const Node &node, int64_t a, int64_t b) const;
  static llvm::Error overflow(const Node &node) {
    return makeMistake(Mistake::BadValue, node.range, "the value does not fit a signed 64-bit integer");
  }

  const ScalarExpression &expression_;
  const ScalarValues &values_;
};

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluate(unsigned index) const {
  const Node &node = expression_.nodes_[index];
  switch (node.op) {
  case Op::Literal:
    return node.value;
  case Op::Name:
    return evaluateName(node);
  case Op::LogicalAnd:
  case Op::LogicalOr:
  case Op::Conditional:
    return evaluateLogic(node);
  default:
    break;
  }
  llvm::Expected<int64_t> first = evaluate(node.operands[0]);
  if (!first)
    return first;
  bool unary =
      node.op == Op::Plus || node.op == Op::Negate || node.op == Op::LogicalNot || node.op == Op::Complement;
  if (unary)
    return evaluateUnary(node, *first);
  llvm::Expected<int64_t> second = evaluate(node.operands[1]);
  if (!second)
    return second;
  return evaluateBinary(node, *first, *second);
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateName(const Node &node) const {
  if (auto found = values_.find(node.name); found != values_.end())
    return found->second;
  if (std::optional<int64_t> bytes = sizeofName(node.name))
    return *bytes;
  return makeMistake(Mistake::UnknownName, node.range, "'" + node.name + "' has no value here");
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateLogic(const Node &node) const {
  llvm::Expected<int64_t> first = evaluate(node.operands[0]);
  if (!first)
    return first;
  if (node.op == Op::Conditional)
    return evaluate(node.operands[*first ? 1 : 2]);
  bool decided = node.op == Op::LogicalAnd ? *first == 0 : *first != 0;
  if (decided)
    return node.op == Op::LogicalOr;
  llvm::Expected<int64_t> second = evaluate(node.operands[1]);
  if (!second)
    return second;
  return *second != 0;
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateUnary(const Node &node, int64_t value) const {
  if (node.op == Op::Plus)
    return value;
  if (node.op == Op::LogicalNot)
    return value == 0;
  if (node.op == Op::Complement)
    return ~value;
  if (value == Smallest)
    return overflow(node);
  return -value;
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateBinary(const Node &node, int64_t a,
                                                                  int64_t b) const {
  switch (node.op) {
  case Op::BitOr:
    return a | b;
  case Op::BitXor:
    return a ^ b;
  case Op::BitAnd:
    return a & b;
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Greater:
    return a > b;
  case Op::GreaterEqual:
    return a >= b;
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::ShiftLeft:
  case Op::ShiftRight:
    return evaluateShift(node, a, b);
  case Op::Divide:
  case Op::Remainder:
  case Op::CeilDiv:
    return evaluateDivision(node, a, b);
  default:
    return evaluateArithmetic(node, a, b);
  }
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateArithmetic(const Node &node, int64_t a,
                                                                      int64_t b) const {
  int64_t result = 0;
  bool overflowed = node.op == Op::Add        ? llvm::AddOverflow(a, b, result)
                    : node.op == Op::Subtract ? llvm::SubOverflow(a, b, result)
                                              : llvm::MulOverflow(a, b, result);
  assert((node.op == Op::Add || node.op == Op::Subtract || node.op == Op::Multiply) &&
         "every operator is evaluated");
  if (overflowed)
    return overflow(node);
  return result;
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateDivision(const Node &node, int64_t a,
                                                                    int64_t b) const {
  if (b == 0)
    return makeMistake(Mistake::BadValue, node.range, "division by zero");
  if (a == Smallest && b == -1)
    return overflow(node);
  if (node.op == Op::Remainder)
    return a % b;
  int64_t quotient = a / b;
  bool roundUp = node.op == Op::CeilDiv && a % b != 0 && (a < 0) == (b < 0);
  return quotient + roundUp;
}

llvm::Expected<int64_t> ScalarExpressionEvaluator::evaluateShift(const Node &node, int64_t a,
                                                                 int64_t b) const {
  if (b < 0 || b > 63)
    return makeMistake(Mistake::BadValue, node.range, "a shift by " + llvm::Twine(b) + " is outside 0 to 63");
  if (node.op == Op::ShiftRight)
    return a >> b;
  int64_t result = static_cast<int64_t>(static_cast<uint64_t>(a) << b);
  if (result >> b != a)
    return overflow(node);
  return result;
}

llvm::Expected<int64_t> ScalarExpression::evaluate(const ScalarValues &values) const {
  return ScalarExpressionEvaluator(*this, values).evaluate(nodes_.size() - 1);
}

ScalarExpression ScalarExpression::constant(int64_t value) {
  ScalarExpression expression;
  expression.nodes_.push_back({Op::Literal, value, {}, {0, 0, 0}, {}});
  return expression;
}

std::vector<NameUse> ScalarExpression::names() const {
  std::vector<NameUse> uses;
  for (const Node &node : nodes_) {
    if (node.op != Op::Name || sizeofName(node.name))
      continue;
    if (llvm::none_of(uses, [&](const NameUse &use) { return use.name == node.name; }))
      uses.push_back({node.name, node.range});
  }
  return uses;
}

class ScalarExpressionPrinter {
public:
  explicit ScalarExpressionPrinter(const ScalarExpression &expression) : expression_(expression) {}

  /// Parenthesised when it binds looser than `minPrecedence`.
  std::string print(unsigned index, unsigned minPrecedence) const {
    auto [text, precedence] = printBare(index);
    return precedence < minPrecedence ? "(" + text + ")" : text;
  }

private:
  using Op = ScalarExpression::Op;
  static constexpr unsigned ConditionalPrecedence = 0, UnaryPrecedence = 11, PrimaryPrecedence = 12;

  std::string printUnary(llvm::StringRef spelling, unsigned operand) const {
    std::string inner = print(operand, UnaryPrecedence);
    // "- -n" must not become "--n".
    bool clash = !inner.empty() && inner[0] == spelling[0] && (spelling == "-" || spelling == "+");
    return (spelling + (clash ? " " : "") + inner).str();
  }

  std::pair<std::string, unsigned> printBare(unsigned index) const {
    const ScalarExpression::Node &node = expression_.nodes_[index];
    const unsigned *operands = node.operands;
    switch (node.op) {
    case Op::Literal:
      return {llvm::itostr(node.value), node.value < 0 ? UnaryPrecedence : PrimaryPrecedence};
    case Op::Name:
      return {node.name, PrimaryPrecedence};
    case Op::Conditional:
      return {print(operands[0], 1) + " ? " + print(operands[1], 0) + " : " + print(operands[2], 0),
              ConditionalPrecedence};
#define WARPWRIGHT_BINARY(Enumerator, spelling, precedence)                                                  \
  case Op::Enumerator:                                                                                       \
    return {print(operands[0], precedence) + " " spelling " " + print(operands[1], precedence + 1),          \
            precedence};
#define WARPWRIGHT_UNARY(Enumerator, spelling)                                                               \
  case Op::Enumerator:                                                                                       \
    return {printUnary(spelling, operands[0]), UnaryPrecedence};
#define WARPWRIGHT_FUNCTION(Enumerator, name)                                                                \
  case Op::Enumerator:                                                                                       \
    return {name "(" + print(operands[0], 0) + ", " + print(operands[1], 0) + ")", PrimaryPrecedence};
#include "analysis/annotation/Operators.def"
    }
    return {};
  }

  const ScalarExpression &expression_;
};

std::string ScalarExpression::str() const {
  return ScalarExpressionPrinter(*this).print(nodes_.size() - 1, 0);
}

ScalarExpression ScalarExpression::subtree(unsigned root) const {
  // Operands stand before the operation that uses them, so what comes first is enough.
  ScalarExpression part;
  part.nodes_.assign(nodes_.begin(), nodes_.begin() + root + 1);
  return part;
}

ScalarExpression::Part ScalarExpression::outermost() const {
  const Node &root = nodes_.back();
  Part part;
  auto take = [&](llvm::StringRef operation, unsigned operands) {
    part.operation = operation;
    for (unsigned i = 0; i < operands; ++i)
      part.operands.push_back(subtree(root.operands[i]));
  };
  switch (root.op) {
  case Op::Literal:
    part.literal = root.value;
    break;
  case Op::Name:
    part.name = root.name;
    break;
  case Op::Conditional:
    take("?:", 3);
    break;
#define WARPWRIGHT_BINARY(Enumerator, spelling, precedence)                                                  \
  case Op::Enumerator:                                                                                       \
    take(spelling, 2);                                                                                       \
    break;
#define WARPWRIGHT_UNARY(Enumerator, spelling)                                                               \
  case Op::Enumerator:                                                                                       \
    take(spelling, 1);                                                                                       \
    break;
#define WARPWRIGHT_FUNCTION(Enumerator, name)                                                                \
  case Op::Enumerator:                                                                                       \
    take(name, 2);                                                                                           \
    break;
#include "analysis/annotation/Operators.def"
  }
  return part;
}

} // namespace warpwright
