#pragma once

#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

/// The trip count of a loop whose only exit, in `exiting`, compares a counter that each iteration multiplies
/// or divides by a constant (`stride *= 2`, `i >>= 1`) with a bound: `ceil(log2(blockDim.x))`,
/// `floor(log4(n)) - 1`. The logarithm is the real one to the base its name ends with; quotients inside are
/// of integers, rounded down. Unknown, with a reason that begins with "geometric", where the counter is one
/// but its test is not understood. None where no such counter is compared.
std::optional<Fact<Expression>> geometricTripCount(SymbolicValues &values, const llvm::Loop &loop,
                                                   const llvm::BasicBlock &exiting);

} // namespace warpwright
