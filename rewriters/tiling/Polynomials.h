#pragma once

#include "analysis/ir/Expression.h"

#include <optional>
#include <string>

namespace warpwright {

/// The quotient where nothing is left over; by long division, so that sums divide sums.
std::optional<Expression> exactQuotient(const Expression &dividend, const Expression &divisor);

/// How often `part` can be taken out of `sum`, judged by the part's leading monomial alone: 2 of `2*n + 1`
/// and `n`. Zero where it is not in it.
int64_t multiplesOf(const Expression &part, const Expression &sum);

/// The expression in the source's own words; nothing where it holds what has no name there. Symbols are those
/// of an IntegerReader.
std::optional<std::string> toCode(const Expression &expression);
/// The same, to stand beside a `*`.
std::optional<std::string> toFactor(const Expression &expression);

} // namespace warpwright
