#pragma once

#include "analysis/ast/DoubleExpressions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/SmallPtrSet.h>

#include <optional>

namespace warpwright {

/// double or long double.
bool isWide(clang::QualType type);
bool isSingle(clang::QualType type);

/// Reads the tree of one double expression down to its float and integer operands. Part of
/// findDoubleExpressions.
class DoubleTree {
public:
  /// What is known of a part of the tree, were it computed in float.
  struct Part {
    bool exact = false;             ///< it would have the very value it has in double
    std::optional<double> inDouble; ///< of a constant part
    float inSingle = 0;             ///< of a constant part, computed in float
  };

  DoubleTree(const clang::FunctionDecl &function, const clang::ASTContext &ast, const IndexRanges &ranges)
      : function_(function), ast_(ast), ranges_(ranges) {}

  Part read(const clang::Expr *expression);
  void block(std::string obstacle) {
    if (this->obstacle.empty())
      this->obstacle = std::move(obstacle);
  }
  std::string textOf(clang::SourceRange tokens) const;

  std::vector<DoubleSpelling> spellings;
  std::string obstacle; ///< the first one
  bool hasData = false; ///< a float or an integer that is not constant
  unsigned operations = 0;
  llvm::SmallPtrSet<const clang::Expr *, 16> nodes; ///< everything that was read as part of the tree

private:
  Part readData(const clang::Expr *operand);
  Part readLiteral(const clang::FloatingLiteral *literal);
  Part readVariable(const clang::ImplicitCastExpr *load);
  Part readOperation(const clang::BinaryOperator *binary);
  Part readChoice(const clang::ConditionalOperator *choice);
  Part readCall(const clang::CallExpr *call);
  Part readCast(const clang::ExplicitCastExpr *cast);
  std::optional<Part> readMacro(const clang::Expr *expression);
  Part constant(const clang::Expr *where, double inDouble, float inSingle);
  void spell(DoubleSpelling spelling, const char *what);
  bool isHidden(llvm::StringRef name) const;

  const clang::FunctionDecl &function_;
  const clang::ASTContext &ast_;
  const IndexRanges &ranges_;
};

} // namespace warpwright
