#pragma once

#include "analysis/ast/PlaceUses.h"
#include "rewriters/Rewriter.h"

#include <string>
#include <vector>

namespace clang {
class CompoundStmt;
class DeclStmt;
class ForStmt;
} // namespace clang

namespace warpwright {

/// A loop of which each iteration loads tiles into shared memory, waits, works on them, and waits again. What
/// brings the next tile and what works on this one have nothing in common but the tile and the counter, so
/// that the one may run ahead of the other.
struct TileLoop {
  const clang::ForStmt *statement = nullptr;
  const clang::CompoundStmt *body = nullptr;
  /// What its head declares and moves on; nothing else does, and nothing in the head changes besides.
  std::vector<const clang::VarDecl *> counters;
  std::vector<const clang::VarDecl *> tiles;         ///< arrays in shared memory that nothing else uses
  std::vector<const clang::DeclStmt *> declarations; ///< of tiles, in the loop
  /// Statements of the body in their order. A declaration that both need is in both.
  std::vector<const clang::Stmt *> loads, work;
  /// Variables from outside the loop that loads change for themselves: pointers that move along.
  std::vector<const clang::VarDecl *> carried;
  bool isRepeated = false; ///< there is a loop around it
  bool isUniform = true;   ///< all lanes agree on whether its barriers run
  std::vector<std::string> assumptions;
  std::string whyNot; ///< else it is none; names the missing fact
};

/// The `for` loops of the kernel that wait for tiles, those with a `whyNot` included.
std::vector<TileLoop> readTileLoops(const RewriteContext &context, const PlaceReader &reader);

/// The variables of a thread that running the code changes, arrays and structs too.
std::vector<const clang::VarDecl *> changedBy(const clang::Stmt &code);

} // namespace warpwright
