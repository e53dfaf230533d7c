#include "analysis/KernelAnalysis.h"
#include "rewriters/edits/Dispatch.h"

namespace warpwright {

/// It changes nothing alone: candidates of others, faster on some shapes only, are launched by it. What it
/// says before is why there can be no such choice.
llvm::Expected<Proposals> proposeDispatchByShape(const RewriteContext &context) {
  Proposals proposals;
  const std::optional<Annotation> &annotation = context.analysis.annotation;
  if (!annotation || !annotation->allows(Permission::Dispatch) || context.relaunched)
    return proposals;
  Dispatch dispatch = dispatchOf(context);
  if (!dispatch.whyNot.empty())
    proposals.declines.push_back(
        {"dispatch-by-shape", context.analysis.kernel.key, context.analysis.kernel.place, dispatch.whyNot});
  return proposals;
}

} // namespace warpwright
