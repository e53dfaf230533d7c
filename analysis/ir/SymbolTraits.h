#pragma once

#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

/// Makes `to` depend on all that `from` depends on: axes, data and loops.
void addTraits(Symbol &to, const Symbol &from);
void setAllThreadAxes(Symbol &symbol);
void setAllBlockAxes(Symbol &symbol);

/// Which axis a special-register intrinsic reads, and of what; none for other intrinsics.
std::optional<std::pair<SymbolKind, unsigned>> specialRegister(llvm::Intrinsic::ID id);

} // namespace warpwright
