#pragma once

#include "analysis/ast/IterationOrder.h"

#include <string>
#include <vector>

namespace warpwright {

/// Two canonical loops of which the inner one is all that the outer one does, and runs alike in each of its
/// iterations. Borrowed.
struct LoopNest {
  const CanonicalLoop *outer = nullptr;
  const CanonicalLoop *inner = nullptr;
};

/// Those of the loops, each with counters of its own.
std::vector<LoopNest> findLoopNests(const std::vector<CanonicalLoop> &loops);

/// How the memory that a nest touches moves with one of its counters.
struct NestSteps {
  unsigned outerNear = 0; ///< elements that are neighbours in neighbouring iterations of the outer loop
  unsigned innerNear = 0; ///< likewise of the inner loop
};
NestSteps stepsOf(const LoopNest &nest, const PlaceReader &reader);

/// What stands against another order of the nest's iterations.
struct NestOrder {
  std::string whyNot; ///< why the loops cannot change places; empty: they may, but for the reductions
  std::vector<LoopReduction> reductions; ///< of both loops
  bool independent = true; ///< no iteration touches what another writes: any thread may run any of them
  std::vector<std::string> assumptions;
};
NestOrder readNestOrder(const LoopNest &nest, const PlaceReader &reader, const Annotation &annotation,
                        const clang::ASTContext &ast);

} // namespace warpwright
