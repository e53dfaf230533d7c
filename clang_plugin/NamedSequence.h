#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <vector>

namespace warpwright {

/// Reads steps as reports name them: "swap-thread-axes x=64 y=4 + coarsen-threads rows=4". Parameters that
/// are left out may have any value. Errors name an unknown rewriter, or what is no number.
llvm::Expected<std::vector<RewriteStep>> parseSequence(llvm::StringRef text);

} // namespace warpwright
