#pragma once

#include "analysis/ast/CanonicalLoops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ArraySubscriptExpr;
} // namespace clang

namespace warpwright {

/// "threadIdx.x" and its kin; empty for any other expression.
std::string specialRegister(const clang::Expr *expression);

/// Who runs the iterations of a loop.
enum class LoopSharing {
  Own,   ///< each thread runs all: from 0 by 1
  Block, ///< the threads of a block take turns: from threadIdx.x by blockDim.x
  Grid,  ///< the threads of the grid take turns: from the thread's number in the grid by the grid's threads
  Other
};

/// Nothing but x counts blocks and threads where `flat` says so; otherwise a loop is shared in no known way.
/// `block` is blockDim.x where it is known: the code may spell it as a number.
LoopSharing sharingOf(const CanonicalLoop &loop, const VariableChanges &function, bool flatBlock,
                      bool flatGrid, std::optional<int64_t> block = std::nullopt);

/// Whether the expression is the thread's number in the grid along x: `blockIdx.x * blockDim.x +
/// threadIdx.x`, whatever its parts are called. `function` is the body that it stands in.
bool isThreadOfGrid(const clang::Expr &expression, const VariableChanges &function,
                    std::optional<int64_t> block);

/// An element `base[index]` in the body of a loop whose index grows by one with the counter.
struct CountedElement {
  const clang::ArraySubscriptExpr *subscript = nullptr;
  const clang::VarDecl *base = nullptr; ///< a pointer, or an array
  /// `base[counter % modulus + ...]`: it grows by one but for where it starts again; null elsewhere.
  const clang::Expr *modulus = nullptr;
  std::vector<const clang::Expr *>
      terms; ///< what is added to the counter in the index; the loop does not change it
};

/// Those of the loop's body, inner loops included, in source order.
std::vector<CountedElement> findCountedElements(const CanonicalLoop &loop);

/// Whether the expression has the same value for all threads of a block, or of the grid, at the place where
/// it stands: no index of a thread (or block) takes part, and no variable that may differ. `function` is the
/// body that it stands in. Values that are loaded count as the same where their address is; whoever asks must
/// know that no thread writes there in the meantime.
bool isUniform(const clang::Expr &expression, const VariableChanges &function, bool overGrid);

} // namespace warpwright
