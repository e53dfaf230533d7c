#pragma once

#include "analysis/ast/LoopReductions.h"
#include "analysis/ast/PlaceUses.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

struct Annotation;

/// By how much an integer expression grows from one iteration of the loop to the next, in steps of the
/// counter; 0 where it stays. Nothing where that is not a constant, or where a value is loaded.
std::optional<int64_t> slopeOf(const clang::Expr *expression, const CanonicalLoop &loop);

/// The part `a[i]` of a place for which no two iterations are the same memory: its index moves with the
/// counter and nothing else of it does. Null where there is none. Indices are taken to be within their array.
const clang::ArraySubscriptExpr *ownElement(const clang::Expr *place, const CanonicalLoop &loop);

/// Whether the iterations of a loop may run in any order and side by side.
struct IterationOrder {
  std::string whyNot; ///< empty: they may, but for the reductions
  /// Variables from outside that the loop gathers in.
  std::vector<LoopReduction> reductions;
  std::vector<std::string> assumptions; ///< what it rests on beyond the code
};

IterationOrder readIterationOrder(const CanonicalLoop &loop, const PlaceReader &reader,
                                  const Annotation &annotation, const clang::ASTContext &ast);

} // namespace warpwright
