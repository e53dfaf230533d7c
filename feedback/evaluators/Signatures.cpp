#include "feedback/evaluators/Signatures.h"

#include "analysis/annotation/KernelContext.h"

namespace warpwright {

std::vector<AnnotationContext> signaturesOf(llvm::ArrayRef<KernelAnalysis> kernels) {
  std::vector<AnnotationContext> signatures;
  for (const KernelAnalysis &kernel : kernels) {
    AnnotationContext signature =
        kernel.annotation ? kernel.context : describeKernel(*kernel.kernel.declaration);
    signature.kernel = kernel.kernel.name;
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

} // namespace warpwright
