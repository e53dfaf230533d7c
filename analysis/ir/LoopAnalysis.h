#pragma once

#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

/// Loops of the kernel with nesting, trip counts and the uniformity of their exits. Only natural loops are
/// found; a cycle with two entries (from `goto`) is left out.
std::vector<LoopFacts> analyseLoops(SymbolicValues &values);

/// Names of what a divergent value depends on: "threadIdx.x and loaded data".
std::string dependencesText(const bool (&threadAxes)[3], bool dataDependent);

} // namespace warpwright
