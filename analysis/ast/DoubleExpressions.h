#pragma once

#include <clang/Basic/SourceLocation.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace warpwright {

class IndexRanges;

/// A piece of source that makes an expression double.
struct DoubleSpelling {
  enum class Kind {
    Literal,  ///< `0.5`
    Constant, ///< the name of a constant, or a macro that expands to one
    Call,     ///< the name of a mathematical function
    Cast      ///< the type in an explicit cast to double
  };
  Kind kind = Kind::Literal;
  clang::SourceRange tokens; ///< in the main file, never inside a macro
  std::string singleForm;    ///< of a call: the function of the same meaning in float
  double value = 0;          ///< of a literal or a constant
  bool exact = false;        ///< of a literal or a constant: float holds it exactly
};

/// An expression that computes in double although its data are float (or small integers).
struct DoubleExpression {
  clang::SourceRange range; ///< the whole of it
  std::vector<DoubleSpelling>
      spellings;           ///< all that make it double, in source order; none of use where it is needed
  unsigned operations = 0; ///< additions, products, calls, ... in double
  /// Why float would not do: what is truly double, what observes the type, where a rounding could be
  /// magnified. Empty where the value is double only because of the spellings and goes back to float; then
  /// computing in float changes it by roundings alone, as long as no intermediate value leaves the range of
  /// float.
  std::string obstacle;
};

/// The expressions of the function's own body that mix float data with double arithmetic, in source order;
/// those that hold no float data are left out. Lambdas in the body are part of it, functions that it calls
/// are not. `ranges` are the function's: an integer operand that may pass 2^24 is an obstacle.
std::vector<DoubleExpression> findDoubleExpressions(const clang::FunctionDecl &function,
                                                    const clang::ASTContext &ast, const IndexRanges &ranges);

} // namespace warpwright
