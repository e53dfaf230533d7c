#pragma once

#include "analysis/ir/AccessAnalysis.h"
#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

/// Branches at which lanes of a warp may part, in program order.
std::vector<DivergentBranch> analyseBranches(SymbolicValues &values);

/// Code that one value of a thread index runs. Marks the accesses inside with the section's id.
std::vector<SingleThreadSection> analyseSections(SymbolicValues &values, AccessList &accesses);

} // namespace warpwright
