#pragma once

#include "analysis/ir/AccessAnalysis.h"

namespace warpwright {

/// The bytes of each buffer that a launch may touch: the offsets of its accesses at their smallest and
/// largest, under the conditions and loop bounds that stand before them. Scalars are supposed not to be
/// negative.
std::vector<BufferRange> analyseRanges(SymbolicValues &values, const AccessList &accesses);

} // namespace warpwright
