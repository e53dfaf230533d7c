#pragma once

#include "analysis/Launch.h"
#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"

#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// Where a shape comes from.
enum class ShapeOrigin {
  Given,      ///< a shape() of the annotation
  Short,      ///< completed: overheads dominate
  Middle,     ///< completed
  Long,       ///< completed: fills the machine
  Indivisible ///< completed: no block or tile divides it, as far as require() admits that
};
/// "given", "short", "middle", "long" or "indivisible".
llvm::StringRef toString(ShapeOrigin origin);

/// Values of the kernel's scalars for one launch, by parameter name. Scalars it does not name have no value.
struct Shape {
  std::map<std::string, Scalar> values;
  ShapeOrigin origin = ShapeOrigin::Given;

  bool completed() const { return origin != ShapeOrigin::Given; }
  /// "m = 4096, n = 65"
  std::string str() const;
};

/// The shapes a kernel is judged on, the main shape first. `note` says why some could not be completed and is
/// empty when nothing is missing.
struct ShapeFamily {
  std::vector<Shape> shapes;
  std::string note;
};

/// The values of a shape() clause. Fails with an AnnotationError when a value cannot be computed.
llvm::Expected<Shape> resolveShape(const ShapeClause &clause, const AnnotationContext &context);

/// The integers an expression can use under a shape: the shape's and the context's constants.
ScalarValues valuesOf(const Shape &shape, const AnnotationContext &context);

/// Whether every require() holds. Fails when one cannot be computed.
llvm::Expected<bool> fulfilsRequirements(const Annotation &annotation, const Shape &shape,
                                         const AnnotationContext &context);

/// The given shapes and, where those are fewer than three, completed ones: short, middle, long and one that
/// divides nothing. Completed shapes fulfil every require(), can be launched, and hold values for the scalars
/// that the annotation's expressions use or a given shape names; their largest buffer has at most 2^26
/// elements (or as many as the main shape's). Deterministic.
ShapeFamily completeShapes(const Annotation &annotation, const AnnotationContext &context);

/// The scalar parameters (members of structs included) to which the shape gives no value: a launch needs them
/// from elsewhere.
std::vector<std::string> unboundScalars(const Shape &shape, const AnnotationContext &context);

/// The launch under a shape. Fails when grid or block are not annotated, a value is missing or does not fit,
/// or CUDA cannot launch it; an AnnotationError where the fault is in the annotation's text.
llvm::Expected<Launch> evaluateLaunch(const Annotation &annotation, const Shape &shape,
                                      const AnnotationContext &context);

/// Elements of each buffer that has an extent, by pointer name. Fails when one is negative or cannot be
/// computed.
llvm::Expected<std::map<std::string, uint64_t>>
evaluateExtents(const Annotation &annotation, const Shape &shape, const AnnotationContext &context);

/// How far results may differ from the reference. Exact: not a bit; the numbers are 0 then.
struct Tolerance {
  bool exact = true;
  double relative = 0;
  double absolute = 0;
  double bias = 0;
};

/// The tolerance for a buffer of such elements: the annotation's, else exact, unless it allows reassociation,
/// fast math or tensor cores: then by type, double 1e-9, float 1e-3, half and bfloat16 1e-2. Bias is a tenth
/// of the relative tolerance where it is not given. Integers are compared exactly unless a tolerance() is
/// written. Exact, too, when the tolerance() was lost to a mistake.
Tolerance toleranceFor(const Annotation &annotation, ElementKind kind);

/// How a buffer is filled: its init(), else uniform(-1, 1) for floating elements and integers(0, 255) for the
/// others.
Initialiser initialiserFor(const Annotation &annotation, llvm::StringRef name, ElementKind kind);

} // namespace warpwright
