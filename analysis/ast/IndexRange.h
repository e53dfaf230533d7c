#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace clang {
class ASTContext;
class BinaryOperator;
class Expr;
class ForStmt;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace warpwright {

/// Every value an integer expression may take lies in [lowest, highest].
struct IntegerRange {
  int64_t lowest = 0;
  int64_t highest = 0;
};

/// Block extents that hold for every launch of the kernel, 0 where nothing is known.
struct KnownBlock {
  uint64_t extents[3] = {0, 0, 0};
};

/// Bounds of index expressions inside one kernel, read from its AST: constants, threadIdx within a known
/// block, counters of `for` loops with constant steps, variables that are initialised once and never changed,
/// and arithmetic over these. An answer holds wherever the expression is evaluated; no answer means that
/// nothing is known.
class IndexRanges {
public:
  IndexRanges(const clang::ASTContext &ast, const clang::FunctionDecl &kernel, KnownBlock block);

  std::optional<IntegerRange> rangeOf(const clang::Expr *expression) const;

private:
  std::optional<IntegerRange> rangeOfVariable(const clang::VarDecl *variable) const;
  std::optional<IntegerRange> rangeOfCounter(const clang::VarDecl *counter, const clang::ForStmt *loop) const;
  std::optional<IntegerRange> rangeOfOperation(const clang::BinaryOperator &binary) const;
  std::optional<IntegerRange> rangeOfThreadIndex(const clang::Expr *expression) const;

  const clang::ASTContext &ast_;
  KnownBlock block_;
  struct VariableUse {
    const clang::ForStmt *loop = nullptr; ///< whose init declares it
    unsigned writes = 0;                  ///< besides its initialiser and its loop's increment
    bool escapes = false;                 ///< bound to a reference or its address is taken
  };
  std::map<const clang::VarDecl *, VariableUse> variables_;
  mutable unsigned depth_ = 0;
};

} // namespace warpwright
