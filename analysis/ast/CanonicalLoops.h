#pragma once

#include "analysis/ast/VariableChanges.h"
#include "analysis/ir/KernelFacts.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <vector>

namespace clang {
class ASTContext;
class CompoundStmt;
class Expr;
class ForStmt;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// A `for` loop that one integer variable counts: it starts at `init`, moves by `step` after each iteration,
/// and goes on while it is on the near side of `bound`. Nothing else changes the variable, the bound and the
/// step, and the loop is left through its condition alone. What the source says of it and what the IR does
/// stand side by side.
struct CanonicalLoop {
  const clang::ForStmt *statement = nullptr;
  const clang::ForStmt *parent = nullptr; ///< the canonical loop right around it, whatever stands between
  const clang::VarDecl *counter = nullptr;
  bool declaresCounter = false;        ///< in its init: nobody sees the counter afterwards
  const clang::Expr *init = nullptr;   ///< the first value
  const clang::Expr *bound = nullptr;  ///< the side of the condition that does not change
  bool inclusive = false;              ///< `<=` or `>=`: the bound itself is run, too
  bool notEqual = false;               ///< `!=`: it runs until the bound is met
  const clang::Expr *step = nullptr;   ///< what is added or subtracted; null where it is 1
  std::optional<int64_t> constantStep; ///< signed, where it is known
  bool upward = true;                  ///< the counter grows; it is the sign of a step that is not constant
  const clang::Stmt *body = nullptr;
  VariableChanges changes;                   ///< of the body
  const LoopFacts *facts = nullptr;          ///< of the IR's loop at the same place; null where none is left
  std::vector<const Reduction *> reductions; ///< that it carries

  explicit CanonicalLoop(const clang::Stmt &body) : body(&body), changes(body) {}
  bool unitStep() const { return constantStep && (*constantStep == 1 || *constantStep == -1); }
};

/// The canonical loops of the function's body, outer before inner, in source order. Lambdas and functions
/// that it calls are not looked into. `facts`, which is borrowed, are the kernel's that the function is or
/// belongs to.
std::vector<CanonicalLoop> findCanonicalLoops(const clang::FunctionDecl &function,
                                              const clang::ASTContext &ast, const KernelFacts &facts);

} // namespace warpwright
