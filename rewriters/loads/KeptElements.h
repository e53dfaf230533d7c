#pragma once

#include "analysis/ast/PlaceUses.h"

#include <string>
#include <vector>

namespace warpwright {

struct Annotation;

/// An element of global memory that a loop reads and writes in each iteration, and nothing else there
/// touches: a variable may hold it for as long as the loop runs.
struct KeptElement {
  const clang::Stmt *loop = nullptr;
  const clang::Expr *place = nullptr;
  std::vector<const clang::Expr *> uses; ///< in the loop
  /// `place = value;` right before the loop, and the value; null where the element is loaded.
  const clang::Stmt *start = nullptr;
  const clang::Expr *startValue = nullptr;
  /// The loop may not run at all, and nothing around it touches the element: it may not even be there.
  bool needsGuard = false;
  std::string whyNot; ///< else it cannot be kept
  std::vector<std::string> assumptions;
};

/// In outermost loops first. Those with a `whyNot` are near misses.
std::vector<KeptElement> findKeptElements(const clang::FunctionDecl &function, const clang::ASTContext &ast,
                                          const PlaceReader &reader, const Annotation &annotation);

} // namespace warpwright
