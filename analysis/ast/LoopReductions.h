#pragma once

#include "analysis/ast/CanonicalLoops.h"
#include "analysis/ast/FoldNode.h"

#include <optional>
#include <vector>

namespace clang {
class DeclRefExpr;
} // namespace clang

namespace warpwright {

/// A variable from outside a loop that the loop does nothing with but to gather one value after the other in
/// it: `v += e`, `v = v + e`, `v = fmaxf(v, e)`.
struct LoopReduction {
  const clang::VarDecl *variable = nullptr;
  FoldOperation operation = FoldOperation::Sum;
  const clang::Expr *function =
      nullptr;         ///< the name of what is called to combine, where an operator does not
  bool rounds = false; ///< the order of its operands shows in the last digits
  std::vector<const clang::DeclRefExpr *> mentions; ///< of the variable in the loop
};

/// The reduction that the loop makes of the variable; nothing where it does anything else with it.
std::optional<LoopReduction> reductionOf(const CanonicalLoop &loop, const clang::VarDecl &variable);

} // namespace warpwright
