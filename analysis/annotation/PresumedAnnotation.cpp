#include "analysis/annotation/PresumedAnnotation.h"

namespace warpwright {

Annotation presumeAnnotation(const AnnotationContext &context, const KernelLaunches &launches) {
  constexpr int64_t elements = 1 << 20; // any extent makes buffers distinct
  Annotation annotation;
  for (const AnnotationParameter &parameter : context.parameters) {
    if (parameter.kind != ParameterKind::Pointer)
      continue;
    BufferClause buffer;
    buffer.name = parameter.name;
    buffer.direction = parameter.pointeeIsConst ? BufferDirection::In : BufferDirection::InOut;
    buffer.extent = ScalarExpression::constant(elements);
    annotation.buffers.push_back(std::move(buffer));
  }
  annotation.allowed.push_back({Permission::Reassociate, {}});
  ToleranceClause tolerance;
  tolerance.relative = 1e-3;
  tolerance.absolute = 1;
  annotation.tolerance = tolerance;
  if (std::optional<Dim3> block = launches.commonBlock()) {
    ExtentsClause clause;
    for (uint64_t extent : {block->x, block->y, block->z})
      clause.extents.push_back(ScalarExpression::constant(static_cast<int64_t>(extent)));
    annotation.block = std::move(clause);
  }
  return annotation;
}

} // namespace warpwright
