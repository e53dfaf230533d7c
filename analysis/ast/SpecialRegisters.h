#pragma once

#include "analysis/ir/Expression.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// One `threadIdx.x`, `blockIdx.y`, `blockDim.z` or `gridDim.x`.
struct RegisterUse {
  SymbolKind kind = SymbolKind::ThreadIndex;
  unsigned axis = 0;
  clang::SourceRange range;
};

/// Where a kernel asks which thread it is.
struct RegisterUses {
  std::vector<RegisterUse> uses; ///< in the kernel's own body, in the order of the text
  /// Why there may be more than `uses`: a whole `threadIdx` that is copied, a function of the user that reads
  /// one, cooperative groups, inline PTX. Empty where there are none.
  std::string obstacle;

  bool reads(SymbolKind kind, unsigned axis) const;
};

RegisterUses findRegisterUses(const clang::FunctionDecl &kernel);

/// The register that an expression is, with its axis; nothing where it is none.
std::optional<std::pair<SymbolKind, unsigned>> specialRegisterOf(const clang::Expr &expression);

/// "threadIdx", "blockIdx", "blockDim" or "gridDim".
const char *nameOfRegister(SymbolKind kind);

} // namespace warpwright
