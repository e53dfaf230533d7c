#pragma once

#include "rewriters/mapping/RowReductions.h"

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
