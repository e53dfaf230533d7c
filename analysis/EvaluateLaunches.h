#pragma once

#include "analysis/KernelAnalysis.h"
#include "analysis/simt/CountLaunch.h"

namespace warpwright {

/// Counts the kernel on every shape of its annotation, or, where there is none, on one launch that is
/// supposed: a block of the launch bounds or 256 threads, enough blocks to fill a multiprocessor, and 1024
/// for every integer. A grid or block that the annotation does not give is that of the file's launches, where
/// these agree on a constant. The module must be in the counting view (ir/Prepare.h). Fills `launches` and
/// `launchNote`. `stepBudget` as in simt::SimtOptions.
void evaluateLaunches(KernelAnalysis &analysis, uint64_t stepBudget);

/// The steps to spend on each launch of a kernel that nobody annotated in a file of so many kernels: one that
/// instantiates a template a hundred times shall not take a hundred times as long.
uint64_t supposedStepBudget(size_t kernels);

/// The annotation with grid and block from the launches of this file, where it gives none and those agree;
/// `note` says which were taken, and stays empty where none was.
Annotation completedByLaunches(const KernelAnalysis &analysis, std::string &note);

/// The parameters as counting and running launches bind them.
std::vector<simt::ParameterDescription> describeParameters(const Kernel &kernel);

/// Counts one given launch.
llvm::Expected<simt::LaunchCounters> countOne(const KernelAnalysis &analysis, const Launch &launch);

} // namespace warpwright
