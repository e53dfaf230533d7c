#pragma once

#include "feedback/evaluators/virtual/verify/CheckShapes.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <string>
#include <vector>

namespace warpwright::vdevice {

struct TileBudget {
  double ragged = 400'000;  ///< accesses of one run, about
  double whole = 4'500'000; ///< the same of shapes of whole tiles, of which there are two at most
  /// Of the launch and its largest buffer.
  ShapeBudget fit = {.threads = uint64_t(1) << 18, .elements = uint64_t(1) << 20, .edges = 0};
};

/// Shapes that have several tiles in each direction, for candidates that compute tiles of up to 128 elements,
/// or strips of up to 1024 at a time, where the kernel itself did one. The family's shapes are shrunk until a
/// run is short, mostly below that, and a mistake from the second tile on would pass.
///
/// Whole: sizes that the grid depends on are 256 and the others as much as the budget allows, then all are
/// 128. Ragged: one size after the other is 293, and 2085, with the rest small; then all that the grid
/// depends on are 161. Neither 4 nor 8 nor any power of two divides those, and they end 5, 33 and 37 beyond a
/// multiple of 128.
///
/// `main` is a shape that runs, `sizes` its integers that are sizes, `accesses` says about how many a run on
/// a shape makes. Shapes that require() does not admit are moved to the nearest that it does.
std::vector<CheckShape> chooseTileShapes(const Shape &main, const std::vector<std::string> &sizes,
                                         const Annotation &annotation, const AnnotationContext &context,
                                         const TileBudget &budget,
                                         llvm::function_ref<double(const Shape &)> accesses);

} // namespace warpwright::vdevice
