#pragma once

#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

struct Arithmetic {
  std::vector<ArithmeticCounts> counts;
  std::vector<IntegerDivision> divisions;
  std::vector<SpecialFunction> specialFunctions;
  std::vector<DoubleInFloat> doublesInFloat;
};

/// Static counts of operations by type and loop, and the ones that cost far more than they look.
Arithmetic analyseArithmetic(SymbolicValues &values);

} // namespace warpwright
