#pragma once

#include "analysis/annotation/ScalarExpression.h"

#include <llvm/ADT/ArrayRef.h>

#include <optional>

namespace warpwright {

/// The simplest condition that holds on every winning shape and on no losing one: `n >= 1024`, `n <= 64`,
/// `n % 4 == 0`, `m * n >= 1048576`, in this order. Its number is that of the winning shapes, so that what
/// lies between them and the losing ones, where nothing was measured, is on the losing side. Between equally
/// simple ones that whose sides lie farthest apart, then that of the first name. Nothing where none of these
/// separates them, or there is nothing on one side.
///
/// Shapes give a value to each name; a name that one of them lacks is not used.
std::optional<ScalarExpression> separatingGuard(llvm::ArrayRef<ScalarValues> winning,
                                                llvm::ArrayRef<ScalarValues> losing);

} // namespace warpwright
