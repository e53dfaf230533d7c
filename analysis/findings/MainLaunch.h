#pragma once

#include "analysis/KernelAnalysis.h"

#include <string>

namespace warpwright {

/// The launch that rules count on: the first shape. Null where none could be evaluated.
const LaunchEvaluation *mainLaunch(const KernelAnalysis &analysis);

/// How far a number counted with that grade over that launch carries `confidence`: less where the launch was
/// supposed, the count sampled, or buffers were taken to be filled with zero.
double weaken(double confidence, const LaunchEvaluation &launch, simt::CountGrade grade);

/// Both places are the same line and column of files of the same name. Facts spell paths as the compile names
/// them, counters as the debug information does.
bool samePlace(const Place &left, const Place &right);

/// All executions of branches at that place in the source, copies made by unrolling and inlining together.
simt::BranchTally branchesAt(const LaunchEvaluation &launch, const Place &place);

/// The same for memory accesses of every kind and space.
simt::AccessTally accessesAt(const LaunchEvaluation &launch, const Place &place);

/// Instructions that warps issue over the launch, at the level of the IR.
uint64_t warpInstructions(const LaunchEvaluation &launch);

/// `1 load`, `2 loads`.
std::string counted(uint64_t count, llvm::StringRef noun);

/// A share as a whole percentage: `37%`.
std::string percent(double share);

/// A finding at the place with the message; the rest is for the rule to fill in.
Finding findingAt(llvm::StringRef id, const Place &place, std::string message);

} // namespace warpwright
