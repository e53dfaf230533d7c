#pragma once

#include "analysis/ast/IntegerReader.h"
#include "rewriters/tiling/Nest.h"

namespace warpwright {

/// What follows from a condition, or from its opposite where `holds` is false, as expressions that are at
/// least zero. `isKnown` says that they are all that the condition asks for.
NestCondition readCondition(const clang::Expr &condition, bool holds, IntegerReader &reader);

} // namespace warpwright
