#pragma once

#include "analysis/annotation/AnnotationDiagnostic.h"
#include "analysis/annotation/AnnotationToken.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What names stand for. Members of a by-value struct are "p.n", qualified constants "N::k" as they are
/// spelled.
using ScalarValues = std::map<std::string, int64_t>;

/// A name where an expression uses it.
struct NameUse {
  std::string name;
  TextRange range;
};

/// A C expression over names, computed in signed 64-bit integers: the operators of C but for assignment,
/// comma and casts, with C's precedences; comparisons and logic give 0 or 1; ceil_div(a, b) is the quotient
/// rounded up, min and max are as usual; sizeof(type) counts the bytes of a built-in CUDA type. Literals have
/// all of C's integer forms.
///
/// A value: copies are independent. Ranges point into the text that was parsed.
class ScalarExpression {
public:
  /// The expression that is all of `text`. Fails with an AnnotationError that points at the first token that
  /// is wrong.
  static llvm::Expected<ScalarExpression> parse(llvm::StringRef text);
  static ScalarExpression constant(int64_t value);

  /// Fails with an AnnotationError at the operation concerned when a name has no value, a division is by
  /// zero, a result does not fit 64 bits, or a shift is negative or beyond 63. `&&`, `||` and `?:` evaluate
  /// no more than C does.
  llvm::Expected<int64_t> evaluate(const ScalarValues &values) const;

  /// The names it depends on, in order of their first use, each once.
  std::vector<NameUse> names() const;
  /// Whether it depends on no name at all.
  bool isConstant() const { return names().empty(); }
  /// Printed with C's precedences and no parenthesis too many; parses to the same tree.
  std::string str() const;
  /// The outermost operation, for whoever reads an expression without evaluating it.
  struct Part {
    std::optional<int64_t> literal;
    std::string name;                       ///< of a name
    llvm::StringRef operation;              ///< "+", "?:", "ceil_div", ...; empty for a literal or a name
    std::vector<ScalarExpression> operands; ///< of the operation, in the order written
  };
  Part outermost() const;
  TextRange range() const { return nodes_.back().range; }

private:
  friend class ScalarExpressionParser;
  friend class ScalarExpressionEvaluator;
  friend class ScalarExpressionPrinter;

  enum class Op {
    Literal,
    Name,
    Conditional,
#define WARPWRIGHT_BINARY(Enumerator, spelling, precedence) Enumerator,
#define WARPWRIGHT_UNARY(Enumerator, spelling) Enumerator,
#define WARPWRIGHT_FUNCTION(Enumerator, name) Enumerator,
#include "analysis/annotation/Operators.def"
  };
  /// Operands are indices of earlier nodes, so the last node is the root.
  struct Node {
    Op op = Op::Literal;
    int64_t value = 0;
    std::string name;
    unsigned operands[3] = {0, 0, 0};
    TextRange range;
  };

  ScalarExpression() = default;
  /// The expression whose root is that node.
  ScalarExpression subtree(unsigned root) const;

  std::vector<Node> nodes_;
};

/// Reads one expression at the cursor and leaves the cursor behind it.
llvm::Expected<ScalarExpression> parseExpression(TokenCursor &cursor);

/// The functions that expressions may call.
llvm::ArrayRef<llvm::StringRef> expressionFunctions();

/// The value of an integer literal of C: decimal, octal, hexadecimal or binary, with digit separators and
/// suffix. Fails with an AnnotationError when it is none, is a floating literal, or does not fit signed 64
/// bits.
llvm::Expected<int64_t> parseIntegerLiteral(const AnnotationToken &number);
/// Whether a number token is spelled as a floating literal.
bool isFloatingLiteral(llvm::StringRef number);
/// The value of an integer or floating literal of C.
llvm::Expected<double> parseRealLiteral(const AnnotationToken &number);

/// Bytes of a built-in CUDA type as `sizeof` spells it ("float4", "unsigned int"); nothing for other names.
std::optional<int64_t> sizeOfBuiltinType(llvm::StringRef type);

} // namespace warpwright
