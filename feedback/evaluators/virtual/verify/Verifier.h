#pragma once

#include "feedback/evaluators/virtual/verify/OriginalKernel.h"
#include "feedback/evaluators/virtual/verify/Verification.h"

namespace warpwright::vdevice {

/// Holds the plan in the place of a launch of the original, on all its shapes and inputs, until something
/// differs. A candidate that cannot be launched where the original can is declined. Errors are faults of the
/// tool.
llvm::Expected<Verification> verifyPlan(OriginalKernel &original, const Subject &candidate,
                                        const LaunchPlan &plan);

} // namespace warpwright::vdevice
