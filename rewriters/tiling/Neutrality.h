#pragma once

#include "rewriters/tiling/Nest.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <vector>

namespace warpwright {

/// Whether the statement leaves its accumulator as it is when certain reads are zero.
struct Neutrality {
  bool isNeutral = false;
  /// Only as long as these, which they are multiplied by, are finite.
  std::vector<const clang::Expr *> finite = {};
};

/// Of a statement that adds to a variable. `isZero` says which expressions are zero.
Neutrality neutralityOf(const clang::Stmt &statement, llvm::function_ref<bool(const clang::Expr &)> isZero);

} // namespace warpwright
