#pragma once

#include "analysis/annotation/Shapes.h"

#include <string>
#include <vector>

namespace warpwright::vdevice {

/// A shape on which two kernels are held against each other.
struct CheckShape {
  enum class Role {
    Family, ///< of the annotation
    Edge,   ///< of the domain: fewer inputs are drawn for it
    Ragged, ///< several tiles and a part of one
    Whole   ///< several whole tiles
  };
  Shape shape;
  std::string label; ///< "m = 64, n = 65, k = 8"
  Role role = Role::Family;
};

struct ShapeBudget {
  uint64_t threads = 16384;  ///< of the launch
  uint64_t elements = 65536; ///< of the largest annotated buffer
  unsigned edges = 24;       ///< shapes at the edge of the domain
};

struct CheckShapes {
  std::vector<CheckShape> shapes; ///< the shrunk main shape first
  std::string note;               ///< what could not be had; empty where nothing is missing
};

/// Integers above this are sizes, which may shrink; smaller ones are counts of few things and stay.
constexpr int64_t SmallCount = 16;

/// One shape of a family made small. Sizes that are powers of two stay powers of two; the others keep their
/// residue modulo 64, and with it what divides them. All are divided by the same power of two, the least with
/// which the launch and the buffers are within the budget; where require() or CUDA's limits do not admit the
/// result, the nearest values that they admit. Nothing where there are none.
std::optional<Shape> shrinkShape(const Shape &shape, const Annotation &annotation,
                                 const AnnotationContext &context, const ShapeBudget &budget);

/// The family shrunk, each shape once, and the domain's edges around the shrunk main shape: sizes of 0, 1,
/// -1, 2, one less and one more than a block, primes; all 1; all different primes; small counts of 0 and 1
/// and one more; floating scalars of 0, 1 and -1. Only what require() admits and CUDA can launch.
CheckShapes chooseCheckShapes(const ShapeFamily &family, const Annotation &annotation,
                              const AnnotationContext &context, const ShapeBudget &budget);

} // namespace warpwright::vdevice
