#pragma once

#include "analysis/simt/CountLaunch.h"
#include "analysis/simt/Hazard.h"

#include <llvm/Support/Error.h>

#include <vector>

namespace warpwright::simt {

/// Runs the first and the last block of a launch, all warps from barrier to barrier, and says what went
/// wrong: the first time for each kind and instruction, in program order. What depends on data, which is not
/// known, is passed over, and so is the rest of a block that takes more steps than `options` allow: an empty
/// list proves nothing. Errors as of countLaunch().
llvm::Expected<std::vector<Hazard>> watchLaunch(const llvm::Function &kernel, const Launch &launch,
                                                const SimtOptions &options = {});

} // namespace warpwright::simt
