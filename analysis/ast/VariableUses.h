#pragma once

#include <llvm/ADT/DenseMap.h>

namespace clang {
class CXXConstructExpr;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// Which variables a function's body only ever reads, so that they hold their initial value throughout. What
/// takes a variable's address or binds a reference to it may change it.
class VariableUses {
public:
  explicit VariableUses(const clang::Stmt &body);

  /// Also of variables that the body does not mention.
  bool isOnlyRead(const clang::VarDecl &variable) const;
  bool isMentioned(const clang::VarDecl &variable) const { return counts_.contains(&variable); }

  /// The variable that the expression is, or is a member of by value; null for others.
  static const clang::VarDecl *variableOf(const clang::Expr *expression);
  /// Whether the call makes an object out of another one of its type.
  static bool isCopy(const clang::CXXConstructExpr &construct);

  struct Count {
    unsigned mentions = 0;
    unsigned reads = 0; ///< mentions that cannot change it
  };
  using Counts = llvm::DenseMap<const clang::VarDecl *, Count>;

private:
  Counts counts_;
};

} // namespace warpwright
