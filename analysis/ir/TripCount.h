#pragma once

#include "analysis/ir/SymbolicValues.h"

namespace warpwright {

/// How often the body of `loop` runs once entered.
Fact<Expression> tripCountOf(SymbolicValues &values, const llvm::Loop &loop);

/// An expression of the loop's counter that is not above zero in any iteration of the body: the bound the
/// loop runs to. None where a first iteration may run without it.
std::optional<SymbolicInteger> boundInBody(SymbolicValues &values, const llvm::Loop &loop);

/// ceil(dividend / divisor) for a positive divisor, as simple as it gets.
Expression ceilDivide(SymbolicValues &values, const Expression &dividend, const Expression &divisor);

} // namespace warpwright
