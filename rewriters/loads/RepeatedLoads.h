#pragma once

#include "analysis/ast/PlaceUses.h"

#include <functional>
#include <string>
#include <vector>

namespace clang {
class CompoundStmt;
} // namespace clang

namespace warpwright {

/// An element of memory that nothing writes, and that the code loads again and again.
struct RepeatedLoad {
  const clang::CompoundStmt *scope = nullptr;
  const clang::Stmt *before = nullptr; ///< the statement of the scope before which it can be loaded once
  const clang::Expr *place = nullptr;
  std::vector<const clang::Expr *> loads; ///< what becomes the value
  bool leavesLoop = false;                ///< some are in a loop that runs them again
  /// A variable that holds it already, from the statement on; null where there is none.
  const clang::VarDecl *variable = nullptr;
  /// The loop that may not run at all: the load needs its condition. Null where the load runs anyway.
  const clang::Stmt *guardLoop = nullptr;
};

/// What is asked of the search.
struct RepeatedLoadRules {
  /// Whether no thread writes the place's memory while the kernel runs.
  std::function<bool(const PlaceUse &)> isFixed;
  /// Whether the compiler would not keep the value by itself over this use of memory, or this call.
  std::function<bool(const PlaceUse &)> isObstacle;
};

/// In the whole body, outer scopes first; no load is in two of them.
std::vector<RepeatedLoad> findRepeatedLoads(const clang::FunctionDecl &function, const clang::ASTContext &ast,
                                            const PlaceReader &reader, const RepeatedLoadRules &rules);

} // namespace warpwright
