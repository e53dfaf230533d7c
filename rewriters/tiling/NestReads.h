#pragma once

#include "analysis/ast/IntegerReader.h"
#include "rewriters/tiling/Nest.h"

namespace warpwright {

/// Adds the reads of memory in a statement to the nest's, with the loops and the condition around it. What
/// the statement writes is not among them.
void collectReads(const clang::Stmt &statement, const std::vector<unsigned> &loops,
                  const NestCondition &condition, IntegerReader &reader, Nest &nest);

/// The place of an lvalue, in elements from where its memory begins; nothing where it is not known.
std::optional<Expression> indexOf(const clang::Expr &lvalue, IntegerReader &reader);

} // namespace warpwright
