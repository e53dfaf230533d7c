#pragma once

#include "analysis/ast/CanonicalLoops.h"
#include "analysis/ast/IndexRange.h"
#include "rewriters/staging/TileLoop.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class IfStmt;
} // namespace clang

namespace warpwright {

/// An assignment to an element of a tile, a statement of its own.
struct TileStore {
  const clang::VarDecl *tile = nullptr;
  const clang::Stmt *statement = nullptr;
  const clang::Expr *target = nullptr;
  const clang::Expr *value = nullptr;

  /// What is stored as it was read: `condition ? source : otherwise`, or the source alone.
  struct Copy {
    const clang::Expr *condition = nullptr;
    bool whereFalse = false;             ///< the source is read where the condition does not hold
    const clang::Expr *source = nullptr; ///< an element of global memory, or its address
    bool isAddress = false;
    const clang::Expr *otherwise = nullptr;
    const clang::DeclStmt *through = nullptr; ///< the variable that held it in between
    int64_t bytes = 0;
  };
  std::optional<Copy> copy;

  /// Loops around it in the loads, of constants numbers of turns, the outermost first.
  struct Turns {
    const CanonicalLoop *loop;
    int64_t first, count;
  };
  std::vector<Turns> turns;
};

/// How the loads of a tile loop bring their tiles.
struct TileStores {
  std::vector<TileStore> stores;
  /// Choices of which each side stores to the same element.
  std::vector<const clang::IfStmt *> paired;
  /// What is declared among the loads and needed to say where elements go.
  std::vector<const clang::VarDecl *> names;
  std::string whyNot;          ///< why they cannot be told from what is around them
  std::string whyNotRegisters; ///< why what is stored cannot be kept in registers
  std::string whyNotCopies;    ///< why nothing is a plain copy

  const TileStore *of(const clang::Stmt &statement) const;
  bool isPaired(const clang::IfStmt &choice) const;
  /// Whether the code stores to a tile.
  bool within(const clang::Stmt &code) const;
};

/// `loops`, which is borrowed, are the kernel's.
TileStores readTileStores(const TileLoop &tiles, const PlaceReader &reader,
                          const std::vector<CanonicalLoop> &loops, const clang::FunctionDecl &kernel,
                          const clang::ASTContext &ast, KnownBlock block);

} // namespace warpwright
