#pragma once

#include "analysis/annotation/ScalarExpression.h"

#include <cstdint>
#include <string>

namespace clang {
class Expr;
class VarDecl;
} // namespace clang

namespace warpwright {

struct RewriteContext;

/// Where a loop stops: it goes on while its counter is on the near side of `bound`.
struct CounterEnd {
  const clang::VarDecl *counter = nullptr;
  const clang::Expr *bound = nullptr;
  bool upward = true;
  bool inclusive = false; ///< the bound itself is run, too
};

/// Whether a counter that moves in longer steps than before, or starts further in, still passes its bound
/// without wrapping: then `i < n` would hold again, and the loop run on with elements that are none. The
/// original went no further than the bound, so that its type says nothing of what is beyond.
struct CounterRoom {
  std::string whyNot; ///< a launch that the annotation names would wrap, or every one; empty where none does
  std::string assumption; ///< what it rests on; empty where it is proved
};

/// `stride` is the longest distance between two values of the counter, and between its first value and the
/// original's. Proved by the bound's value or type, by the counter's 64 bits, or by a require(); otherwise
/// assumed of every launch, in words that can be put into a require() where the annotation's scalars say
/// what the bound is, and held against all shapes of the family.
CounterRoom roomBeyond(const CounterEnd &end, uint64_t stride, const RewriteContext &context);

/// The same of a signed counter of 32 bits that goes up to a bound which is not run.
CounterRoom roomBeyond(const ScalarExpression &bound, uint64_t stride, const std::string &counter,
                       const RewriteContext &context);

} // namespace warpwright
