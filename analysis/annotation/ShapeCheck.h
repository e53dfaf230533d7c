#pragma once

#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"

namespace warpwright {

/// The part of checkAnnotation that looks at shapes: names and types of the bindings, scalars that other
/// clauses use, require(), and whether grid, block and extents come out right. Expects every other clause to
/// be checked already.
void checkShapes(ParsedAnnotation &parsed, const AnnotationContext &context);

} // namespace warpwright
