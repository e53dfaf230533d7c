#pragma once

#include <llvm/ADT/DenseSet.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// What running a statement changes.
struct Effects {
  std::vector<const clang::Expr *> stores;       ///< what is written in memory that other threads may see
  std::vector<const clang::VarDecl *> variables; ///< local variables that are written, arrays and structs too
  std::vector<const clang::Expr *> calls;        ///< atomics, and functions that may do anything
  bool leaves = false;                           ///< a return, a goto, a break out of the statement

  bool seenByOthers() const { return !stores.empty() || !calls.empty(); }
};

/// Reads the statement, and through the functions of the user that it calls. What a function does to its own
/// variables is no effect; what it writes through a reference or a pointer is.
Effects effectsOf(const clang::Stmt &statement);

/// The local variable that an lvalue is a part of; null: it is memory, or not known.
const clang::VarDecl *localOf(const clang::Expr *lvalue);

} // namespace warpwright
