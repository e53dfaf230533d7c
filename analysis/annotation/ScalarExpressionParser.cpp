#include "analysis/annotation/ScalarExpression.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

/// Recursive descent over C's grammar of conditional expressions. Both limits keep a hostile text from
/// exhausting the stack, here and in everything that walks the tree.
class ScalarExpressionParser {
public:
  explicit ScalarExpressionParser(TokenCursor &cursor) : cursor_(cursor) {}

  llvm::Expected<ScalarExpression> parse() {
    llvm::Expected<unsigned> root = parseConditional();
    if (!root)
      return root.takeError();
    assert(*root + 1 == result_.nodes_.size() && "the root is the last node");
    return std::move(result_);
  }

private:
  using Op = ScalarExpression::Op;
  using Node = ScalarExpression::Node;
  using Operand = llvm::Expected<unsigned>;

  static constexpr unsigned MaxDepth = 200;
  static constexpr size_t MaxNodes = 2000;

  struct BinaryOperator {
    Op op;
    llvm::StringLiteral spelling;
    unsigned precedence;
  };
  static const BinaryOperator *findBinary(const AnnotationToken &token);

  struct DepthGuard {
    explicit DepthGuard(unsigned &depth) : depth(depth) { ++depth; }
    ~DepthGuard() { --depth; }
    unsigned &depth;
  };

  unsigned add(Node node) {
    result_.nodes_.push_back(std::move(node));
    return result_.nodes_.size() - 1;
  }
  TextRange rangeOf(unsigned index) const { return result_.nodes_[index].range; }
  llvm::Error checkLimits() const;
  llvm::Error expect(llvm::StringRef punctuation, llvm::StringRef why);

  Operand parseConditional();
  Operand parseBinary(unsigned minPrecedence);
  Operand parseUnary();
  Operand parsePrimary();
  Operand parseLiteral();
  Operand parseParenthesis();
  Operand parseName();
  Operand parseCall(const AnnotationToken &name);
  Operand parseSizeof(const AnnotationToken &name);

  TokenCursor &cursor_;
  ScalarExpression result_;
  unsigned depth_ = 0;
};

const ScalarExpressionParser::BinaryOperator *
ScalarExpressionParser::findBinary(const AnnotationToken &token) {
  static constexpr BinaryOperator Operators[] = {
#define WARPWRIGHT_BINARY(Enumerator, spelling, precedence) {Op::Enumerator, spelling, precedence},
#include "analysis/annotation/Operators.def"
  };
  if (token.kind != AnnotationToken::Punctuation)
    return nullptr;
  const auto *found =
      llvm::find_if(Operators, [&](const BinaryOperator &op) { return op.spelling == token.text; });
  return found == std::end(Operators) ? nullptr : found;
}

llvm::Error ScalarExpressionParser::checkLimits() const {
  if (depth_ > MaxDepth || result_.nodes_.size() > MaxNodes)
    return makeMistake(Mistake::BadExpression, cursor_.peek().range,
                       "the expression is nested too deeply or too long");
  return llvm::Error::success();
}

llvm::Error ScalarExpressionParser::expect(llvm::StringRef punctuation, llvm::StringRef why) {
  if (cursor_.accept(punctuation))
    return llvm::Error::success();
  return makeMistake(Mistake::BadExpression, cursor_.peek().range,
                     "expected '" + punctuation + "' " + why + ", found " + describe(cursor_.peek()));
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseConditional() {
  DepthGuard guard(depth_);
  Operand condition = parseBinary(1);
  if (!condition || !cursor_.accept("?"))
    return condition;
  Operand whenTrue = parseConditional();
  if (!whenTrue)
    return whenTrue;
  if (llvm::Error error = expect(":", "of the conditional operator"))
    return std::move(error);
  Operand whenFalse = parseConditional();
  if (!whenFalse)
    return whenFalse;
  TextRange range = TextRange::spanning(rangeOf(*condition), rangeOf(*whenFalse));
  return add({Op::Conditional, 0, {}, {*condition, *whenTrue, *whenFalse}, range});
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseBinary(unsigned minPrecedence) {
  Operand left = parseUnary();
  while (left) {
    const BinaryOperator *op = findBinary(cursor_.peek());
    if (!op || op->precedence < minPrecedence)
      break;
    cursor_.next();
    Operand right = parseBinary(op->precedence + 1);
    if (!right)
      return right;
    TextRange range = TextRange::spanning(rangeOf(*left), rangeOf(*right));
    left = add({op->op, 0, {}, {*left, *right, 0}, range});
  }
  return left;
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseUnary() {
  DepthGuard guard(depth_);
  if (llvm::Error error = checkLimits())
    return std::move(error);
  static constexpr std::pair<Op, llvm::StringLiteral> Operators[] = {
#define WARPWRIGHT_UNARY(Enumerator, spelling) {Op::Enumerator, spelling},
#include "analysis/annotation/Operators.def"
  };
  for (const auto &[op, spelling] : Operators) {
    TextRange start = cursor_.peek().range;
    if (!cursor_.accept(spelling))
      continue;
    Operand operand = parseUnary();
    if (!operand)
      return operand;
    return add({op, 0, {}, {*operand, 0, 0}, TextRange::spanning(start, rangeOf(*operand))});
  }
  return parsePrimary();
}

ScalarExpressionParser::Operand ScalarExpressionParser::parsePrimary() {
  const AnnotationToken &token = cursor_.peek();
  if (token.kind == AnnotationToken::Number)
    return parseLiteral();
  if (token.kind == AnnotationToken::Name)
    return parseName();
  if (token.is("("))
    return parseParenthesis();
  return makeMistake(Mistake::BadExpression, token.range,
                     "expected a number, a name or '(', found " + describe(token));
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseLiteral() {
  AnnotationToken token = cursor_.next();
  llvm::Expected<int64_t> value = parseIntegerLiteral(token);
  if (!value)
    return value.takeError();
  return add({Op::Literal, *value, {}, {0, 0, 0}, token.range});
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseParenthesis() {
  TextRange open = cursor_.next().range;
  Operand inner = parseConditional();
  if (!inner)
    return inner;
  if (llvm::Error error = expect(")", "to match the '('"))
    return std::move(error);
  // A name or number behind a parenthesised name can only be meant as a cast.
  const AnnotationToken &after = cursor_.peek();
  bool looksLikeCast =
      result_.nodes_[*inner].op == Op::Name &&
      (after.kind == AnnotationToken::Name || after.kind == AnnotationToken::Number || after.is("("));
  if (looksLikeCast)
    return makeMistake(Mistake::BadExpression, TextRange::spanning(open, cursor_.previous()),
                       "a cast cannot stand here",
                       "everything is computed in 64-bit integers; leave the cast out");
  result_.nodes_[*inner].range = TextRange::spanning(open, cursor_.previous());
  return inner;
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseName() {
  AnnotationToken first = cursor_.next();
  if (first.text == "true" || first.text == "false")
    return add({Op::Literal, first.text == "true", {}, {0, 0, 0}, first.range});
  if (cursor_.peek().is("("))
    return first.text == "sizeof" ? parseSizeof(first) : parseCall(first);
  std::string name = first.text.str();
  while (cursor_.peek().is(".") || cursor_.peek().is("::")) {
    AnnotationToken separator = cursor_.next();
    AnnotationToken part = cursor_.next();
    if (part.kind != AnnotationToken::Name)
      return makeMistake(Mistake::BadExpression, part.range,
                         "expected a name after '" + separator.text + "', found " + describe(part));
    name += (separator.text + part.text).str();
  }
  return add({Op::Name, 0, std::move(name), {0, 0, 0}, TextRange::spanning(first.range, cursor_.previous())});
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseCall(const AnnotationToken &name) {
  static constexpr std::pair<Op, llvm::StringLiteral> Functions[] = {
#define WARPWRIGHT_FUNCTION(Enumerator, spelling) {Op::Enumerator, spelling},
#include "analysis/annotation/Operators.def"
  };
  const auto *found = llvm::find_if(Functions, [&](const auto &row) { return row.second == name.text; });
  if (found == std::end(Functions))
    return makeMistake(Mistake::BadExpression, name.range, "unknown function '" + name.text + "'",
                       suggestion(name.text, expressionFunctions(), "ceil_div, max and min can be called"));
  cursor_.accept("(");
  Operand first = parseConditional();
  if (!first)
    return first;
  if (llvm::Error error = expect(",", ("between the two arguments of " + name.text).str()))
    return std::move(error);
  Operand second = parseConditional();
  if (!second)
    return second;
  if (llvm::Error error = expect(")", ("after the two arguments of " + name.text).str()))
    return std::move(error);
  TextRange range = TextRange::spanning(name.range, cursor_.previous());
  return add({found->first, 0, {}, {*first, *second, 0}, range});
}

ScalarExpressionParser::Operand ScalarExpressionParser::parseSizeof(const AnnotationToken &name) {
  cursor_.accept("(");
  std::string type;
  while (!cursor_.atEnd() && !cursor_.peek().is(")")) {
    if (cursor_.peek().kind != AnnotationToken::Name)
      return makeMistake(Mistake::BadExpression, cursor_.peek().range,
                         "sizeof takes the name of a type, found " + describe(cursor_.peek()));
    type += (type.empty() ? "" : " ") + cursor_.next().text.str();
  }
  if (llvm::Error error = expect(")", "after the type"))
    return std::move(error);
  TextRange range = TextRange::spanning(name.range, cursor_.previous());
  return add({Op::Name, 0, "sizeof(" + type + ")", {0, 0, 0}, range});
}

llvm::ArrayRef<llvm::StringRef> expressionFunctions() {
  static constexpr llvm::StringRef Names[] = {
#define WARPWRIGHT_FUNCTION(Enumerator, name) name,
#include "analysis/annotation/Operators.def"
  };
  return Names;
}

llvm::Expected<ScalarExpression> parseExpression(TokenCursor &cursor) {
  return ScalarExpressionParser(cursor).parse();
}

llvm::Expected<ScalarExpression> ScalarExpression::parse(llvm::StringRef text) {
  std::vector<AnnotationToken> tokens = tokenizeAnnotation(text);
  TokenCursor cursor(tokens, text.size());
  llvm::Expected<ScalarExpression> expression = parseExpression(cursor);
  if (!expression || cursor.atEnd())
    return expression;
  return makeMistake(Mistake::BadExpression, cursor.peek().range,
                     "expected an operator, found " + describe(cursor.peek()));
}

} // namespace warpwright
