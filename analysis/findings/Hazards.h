#pragma once

#include "analysis/KernelAnalysis.h"

#include <string>
#include <vector>

namespace warpwright {

/// A hazard and the launch that it was seen in.
struct SeenHazard {
  simt::Hazard hazard;
  const LaunchEvaluation *launch = nullptr;
};

/// Watches the kernel's launches. Nothing where the block is not known: what a block may do wrong depends on
/// its shape.
void watchLaunches(KernelAnalysis &analysis);

/// What watchLaunches() has seen, each kind and instruction once.
std::vector<SeenHazard> hazardsOf(const KernelAnalysis &analysis);

/// "(3, 1)": a thread of the launch's block by its linear number, with as many axes as the block has.
std::string threadText(const LaunchEvaluation &launch, uint64_t thread);

/// Sure where the launch is known as a whole; less where scalars were supposed.
double confidenceOf(const SeenHazard &seen, double sure);

} // namespace warpwright
