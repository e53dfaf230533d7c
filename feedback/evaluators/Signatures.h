#pragma once

#include "analysis/KernelAnalysis.h"

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace warpwright {

/// What launches of each kernel bind to: of an annotated one with the constants that its annotation can name.
/// In the order of the kernels.
std::vector<AnnotationContext> signaturesOf(llvm::ArrayRef<KernelAnalysis> kernels);

} // namespace warpwright
