#pragma once

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class DeclRefExpr;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// A value that a loop makes of all its iterations, in whatever order.
struct RowReduction {
  enum class Kind { Sum, Product, Minimum, Maximum, And, Or, Xor, Any, First, Online };
  Kind kind = Kind::Sum;
  const clang::VarDecl *variable = nullptr;
  /// That combines two of them where an operator does not: "fmaxf"; of Online the exponential.
  std::string function = "";
  std::string constant = ""; ///< of Any: what an iteration may set it to
  /// Of First: the place of the extremum that `variable` holds, `at = c` beside `best = x[c]`; ties go to the
  /// lower place, or with `lastWins` to the higher. Of Online: the maximum that the sum in `variable` is
  /// relative to (OnlinePair.h).
  const clang::VarDecl *place = nullptr;
  bool isMaximum = false;  ///< of First
  bool lastWins = false;   ///< of First
  bool takesEqual = false; ///< of First: what equals the value before the loop has its place taken, too
  bool floating = false;
  bool logical = false;  ///< `&&` or `||` of a number that is no bool: it is a truth value from then on
  bool takesNaN = false; ///< a comparison takes NaN for the extremum, so that its place in the order decides

  /// Whether it may start from any value that is in it already.
  bool isIdempotent() const;
  /// Whether taking it in another order rounds differently.
  bool rounds() const;
  /// What adds nothing to it; of those that are not idempotent.
  std::string identity() const;
  /// The statement that combines it with another lane's, without a semicolon; of those without a place.
  std::string combine(const std::string &other) const;
  /// "sum", "maximum", ...
  const char *name() const;
};

/// What a loop's body makes of variables from outside. On failure `whyNot` names one that is carried
/// otherwise.
std::vector<RowReduction> readRowReductions(const clang::Stmt &body, const clang::VarDecl &counter,
                                            bool isDown, const clang::ASTContext &ast, std::string &whyNot);

/// The mention of the variable that the expression is; null where it is another.
const clang::DeclRefExpr *referenceTo(const clang::Expr *expression, const clang::VarDecl *variable);

} // namespace warpwright
