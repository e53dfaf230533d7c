#pragma once

#include "analysis/ast/IntegerReader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class ForStmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// A value that a loop makes of all its iterations, in whatever order.
struct RowReduction {
  enum class Kind { Sum, Product, Minimum, Maximum, And, Or, Xor, Any, First };
  Kind kind = Kind::Sum;
  const clang::VarDecl *variable = nullptr;
  std::string function = ""; ///< that combines two of them where an operator does not: "fmaxf"
  std::string constant = ""; ///< of Any: what an iteration may set it to
  /// Of First: the place of the extremum that `variable` holds, `at = c` beside `best = x[c]`; ties go to the
  /// lower place, or with `lastWins` to the higher.
  const clang::VarDecl *place = nullptr;
  bool isMaximum = false; ///< of First
  bool lastWins = false;  ///< of First
  bool floating = false;

  /// Whether it may start from any value that is in it already.
  bool isIdempotent() const;
  /// What adds nothing to it; of those that are not idempotent.
  std::string identity() const;
  /// The statement that combines it with another lane's, without a semicolon.
  std::string combine(const std::string &other) const;
  /// "sum", "maximum", ...
  const char *name() const;
};

/// A loop whose iterations may run in any order, and what it makes.
struct RowLoop {
  const clang::ForStmt *loop = nullptr;
  const clang::VarDecl *counter = nullptr;
  const clang::Expr *first = nullptr; ///< the counter's first value
  const clang::Expr *bound = nullptr; ///< what it is compared with; it does not change
  bool inclusive = false;             ///< the bound itself is run, too
  bool isDown = false;
  int64_t step = 1; ///< by which the counter moves, always positive
  std::vector<RowReduction> reductions;
  bool stores = false;
};

/// Reads a `for` loop. Its stores must go to places of their own in each iteration, which is the facts' to
/// prove. On failure `whyNot` says why its iterations cannot be shared out.
std::optional<RowLoop> readRowLoop(const clang::ForStmt &loop, const clang::ASTContext &ast,
                                   std::string &whyNot);

} // namespace warpwright
