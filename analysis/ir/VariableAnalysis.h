#pragma once

#include "analysis/ir/AccessAnalysis.h"

namespace warpwright {

/// Fills in what the kernel names rather than does: parameters, shared and global variables, local arrays,
/// calls and inline assembly. `facts.accesses` and `facts.loops` must be there.
void analyseVariables(SymbolicValues &values, KernelFacts &facts);

} // namespace warpwright
