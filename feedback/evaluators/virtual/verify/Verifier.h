#pragma once

#include "feedback/evaluators/virtual/verify/OriginalKernel.h"
#include "feedback/evaluators/virtual/verify/Verification.h"

namespace warpwright::vdevice {

/// Holds the plan in the place of a launch of the original, on all its shapes and inputs, until something
/// differs. A candidate that cannot be launched where the original can is declined. Errors are faults of the
/// tool.
llvm::Expected<Verification> verifyPlan(OriginalKernel &original, const Subject &candidate,
                                        const LaunchPlan &plan);

/// What may not change between a kernel and the one of the same name in its place: parameters, and every
/// clause of the annotation but, where launch_change is allowed, grid, block and dynamic_shared. Nothing
/// where nothing did; otherwise the code ("signature", "annotation") and the reason.
struct InterfaceChange {
  std::string code;
  std::string reason;
};
std::optional<InterfaceChange> findInterfaceChange(const KernelAnalysis &original,
                                                   const KernelAnalysis &candidate);

/// The plan of a candidate that is the same kernel: launched as its own annotation says.
LaunchPlan planOf(const KernelAnalysis &original, const KernelAnalysis &candidate);

} // namespace warpwright::vdevice
