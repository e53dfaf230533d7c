#pragma once

#include "analysis/KernelAnalysis.h"
#include "analysis/simt/CountLaunch.h"

namespace warpwright {

/// Counts the kernel on every shape of its annotation, or, where there is none, on one launch that is
/// supposed: a block of the launch bounds or 256 threads, enough blocks to fill a multiprocessor, and 1024
/// for every integer. A grid or block that the annotation does not give is that of the file's launches, where
/// these agree on a constant. The module must be in the counting view (ir/Prepare.h). Fills `launches` and
/// `launchNote`.
void evaluateLaunches(KernelAnalysis &analysis);

/// The parameters as counting and running launches bind them.
std::vector<simt::ParameterDescription> describeParameters(const Kernel &kernel);

/// Counts one given launch.
llvm::Expected<simt::LaunchCounters> countOne(const KernelAnalysis &analysis, const Launch &launch);

} // namespace warpwright
