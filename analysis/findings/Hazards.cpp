#include "analysis/findings/Hazards.h"

#include "analysis/EvaluateLaunches.h"
#include "analysis/findings/MainLaunch.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

std::vector<SeenHazard> hazardsOf(const KernelAnalysis &analysis) {
  std::vector<SeenHazard> seen;
  bool annotated = analysis.annotation && analysis.annotation->block;
  if (!analysis.kernel.function || (!annotated && !analysis.launchSites.commonBlock()))
    return seen;
  constexpr uint64_t steps = 100'000; // of a block: 10 ms
  simt::SimtOptions options;
  options.stepBudget = steps;
  options.parameters = describeParameters(analysis.kernel);
  for (const LaunchEvaluation &launch : analysis.launches) {
    llvm::Expected<std::vector<simt::Hazard>> hazards =
        simt::watchLaunch(*analysis.kernel.function, launch.launch, options);
    if (!hazards) {
      llvm::consumeError(hazards.takeError()); // the counters of the launch say why
      continue;
    }
    for (const simt::Hazard &hazard : *hazards)
      if (llvm::none_of(seen, [&](const SeenHazard &known) {
            return known.hazard.kind == hazard.kind && known.hazard.instruction == hazard.instruction;
          }))
        seen.push_back({hazard, &launch});
  }
  return seen;
}

std::string threadText(const LaunchEvaluation &launch, uint64_t thread) {
  const Dim3 &block = launch.launch.block;
  std::string text = std::to_string(thread % block.x);
  if (block.y == 1 && block.z == 1)
    return text;
  text += ", " + std::to_string(thread / block.x % block.y);
  if (block.z != 1)
    text += ", " + std::to_string(thread / block.x / block.y);
  return "(" + text + ")";
}

double confidenceOf(const SeenHazard &seen, double sure) {
  return weaken(sure, *seen.launch, simt::CountGrade::Exact);
}

} // namespace warpwright
