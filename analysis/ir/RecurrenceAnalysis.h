#pragma once

#include "analysis/ir/AccessAnalysis.h"
#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

struct Recurrences {
  std::vector<Reduction> reductions;
  std::vector<DependenceChain> chains;
};

/// What loops carry from one iteration to the next other than their counters. A value that goes through an
/// inner loop as well is reported for the outermost loop that carries it and for each loop inside.
Recurrences analyseRecurrences(SymbolicValues &values, const AccessList &accesses);

} // namespace warpwright
