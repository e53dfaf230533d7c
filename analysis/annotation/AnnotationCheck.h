#pragma once

#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"

namespace warpwright {

/// Checks what was read against a kernel's signature: names exist, types and directions fit, every shape lies
/// in the domain and can be launched. Appends what it finds, sorted by position, and leaves every clause with
/// an error out. Where a constant depends on the instantiation, what follows from its value is not checked.
ParsedAnnotation checkAnnotation(ParsedAnnotation parsed, const AnnotationContext &context);

} // namespace warpwright
