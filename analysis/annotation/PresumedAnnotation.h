#pragma once

#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"
#include "analysis/ast/LaunchSites.h"

namespace warpwright {

/// For tests of rewriters on code that nobody annotated: an annotation that grants what authors commonly do.
/// All buffers are distinct, the results may round, and the block is the one that all launches of the file
/// agree on. Nothing of this is true of the code, so a user's kernel never gets it.
Annotation presumeAnnotation(const AnnotationContext &context, const KernelLaunches &launches);

} // namespace warpwright
