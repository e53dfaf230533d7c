#pragma once

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/PlaceUses.h"

#include <vector>

namespace warpwright {

/// A shared array of which each thread fills one slot and reads back that slot alone: a variable would do.
struct CopiedSlot {
  const clang::VarDecl *array = nullptr;
  const clang::Stmt *declaration = nullptr; ///< of the array alone
  const clang::Stmt *store = nullptr;       ///< `array[i] = value;`
  const clang::Expr *value = nullptr;
  std::vector<const clang::Expr *> reads; ///< all behind the store, in its scope
};

/// Those that the facts of the kernel say no other thread sees (the finding redundant-copy).
std::vector<CopiedSlot> findCopiedSlots(const KernelAnalysis &analysis, const clang::ASTContext &ast,
                                        const PlaceReader &reader);

} // namespace warpwright
