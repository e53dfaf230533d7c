#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

namespace clang {
class ASTContext;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// The variable that the expression names, brackets and implicit casts aside; null where it is something
/// else.
const clang::VarDecl *namedVariable(const clang::Expr *expression);

/// Which variables a piece of code changes, and which it lets out of sight. The code must not be a
/// template's.
class VariableChanges {
public:
  explicit VariableChanges(const clang::Stmt &code);

  /// An assignment, an increment, or an output of inline assembly in the code. Initialisers do not count.
  bool isChanged(const clang::VarDecl *variable) const { return changed_.contains(variable); }
  /// Its address is taken, or a reference to it is bound that is not to const: whoever holds it may change
  /// it.
  bool isExposed(const clang::VarDecl *variable) const { return exposed_.contains(variable); }
  /// It holds what it was initialised with for as long as it lives.
  bool isConstant(const clang::VarDecl *variable) const {
    return !isChanged(variable) && !isExposed(variable);
  }
  const llvm::DenseSet<const clang::VarDecl *> &changed() const { return changed_; }
  unsigned mentionsOf(const clang::VarDecl *variable) const { return mentions_.lookup(variable); }

private:
  llvm::DenseSet<const clang::VarDecl *> changed_;
  llvm::DenseSet<const clang::VarDecl *> exposed_;
  llvm::DenseMap<const clang::VarDecl *, unsigned> mentions_;
};

} // namespace warpwright
