#pragma once

#include "analysis/annotation/ScalarExpression.h"
#include "analysis/ast/VariableUses.h"
#include "analysis/ir/Expression.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace clang {
class ASTContext;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// Reads integer expressions of C++ and of annotations as polynomials over what they depend on, so that two
/// that are written differently can be compared: equal readings have equal values wherever no operation
/// wraps, no cast changes a value, and only numbers that are not negative are divided.
///
/// Divisions become symbols of their own, in a normal form in which `(n + 15) / 16`, `(n - 1) / 16 + 1` and
/// `ceil_div(n, 16)` are the same.
class IntegerReader {
public:
  enum class Moment {
    OneExpression, ///< all that is read is evaluated at once, so that a variable equals itself
    WholeBody      ///< what is read is evaluated here and there: a variable that changes reads as nothing
  };
  /// Of one function's body: its variables are followed to their initialisers where nothing changes them.
  IntegerReader(const clang::ASTContext &ast, const clang::Stmt &body, SymbolTable &table, Moment moment);

  /// What somebody knows of registers and divisions beyond their text. Asked first; nothing: read as usual.
  struct Insight {
    std::function<std::optional<Expression>(SymbolKind kind, unsigned axis)> ofRegister;
    /// `operation` is "/" or "%"; shifts and masks by constants are asked for as these.
    std::function<std::optional<Expression>(llvm::StringRef operation, const Expression &dividend,
                                            const Expression &divisor)>
        division;
  };
  void setInsight(Insight insight) { insight_ = std::move(insight); }

  /// Nothing where it calls what is not understood, has an effect, or depends on a variable that something
  /// changes between its initialiser and its use.
  std::optional<Expression> read(const clang::Expr &expression);
  /// An annotation's expression. `names` has what its names stand for; one that is missing reads as nothing.
  std::optional<Expression> read(const ScalarExpression &expression,
                                 const std::map<std::string, Expression> &names);
  std::optional<Expression> read(const clang::VarDecl &variable);
  /// From now on the variable reads as that value, whatever changes it.
  void bind(const clang::VarDecl &variable, Expression value) {
    arguments_.insert_or_assign(&variable, std::move(value));
  }
  /// A `dim3`, or what converts to one; axes that are left out are 1.
  std::optional<std::array<Expression, 3>> readExtents(const clang::Expr &expression);

  /// What a variable holds throughout, where that is known: null otherwise, and for parameters.
  const clang::Expr *valueOf(const clang::VarDecl &variable) const;
  /// Whether nothing writes the variable after its initialisation, binds a reference to it or takes its
  /// address.
  bool isUnchanged(const clang::VarDecl &variable) const;

  /// What an operator of C makes of two readings.
  std::optional<Expression> combine(llvm::StringRef operation, const std::optional<Expression> &left,
                                    const std::optional<Expression> &right);

  Expression quotient(const Expression &dividend, const Expression &divisor);
  /// threadIdx.x and its kin.
  Expression ofRegister(SymbolKind kind, unsigned axis);
  /// The symbol of that text.
  Expression named(const std::string &text);

private:
  std::optional<Expression> readOperation(const clang::Expr &expression);
  std::optional<Expression> readCall(const clang::Expr &expression);
  std::optional<Expression> readSpecialRegister(const clang::Expr &expression);
  std::optional<Expression> knownDivision(llvm::StringRef operation, const Expression &left,
                                          const Expression &right) const;
  Expression function(llvm::StringRef name, std::initializer_list<Expression> operands);

  const clang::ASTContext &ast_;
  SymbolTable &table_;
  VariableUses uses_;
  /// Of functions that are being read through, and variables that were bound.
  llvm::DenseMap<const clang::VarDecl *, Expression> arguments_;
  llvm::StringMap<const Symbol *> symbols_;
  Insight insight_;
  unsigned depth_ = 0;
  unsigned initialisers_ = 0; ///< being read: what is in them was evaluated earlier than the expression
};

} // namespace warpwright
