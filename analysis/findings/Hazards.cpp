#include "analysis/findings/Hazards.h"

#include "analysis/EvaluateLaunches.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/simt/Watch.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright {

void watchLaunches(KernelAnalysis &analysis) {
  bool annotated = analysis.annotation && analysis.annotation->block;
  if (!analysis.kernel.function || (!annotated && !analysis.launchSites.commonBlock()))
    return;
  constexpr uint64_t steps = 100'000; // of the first blocks of all launches: 10 ms, and as much for the last
  simt::SimtOptions options;
  options.stepBudget = steps / std::max<size_t>(analysis.launches.size(), 1);
  options.parameters = describeParameters(analysis.kernel);
  for (LaunchEvaluation &launch : analysis.launches) {
    llvm::Expected<std::vector<simt::Hazard>> hazards =
        simt::watchLaunch(*analysis.kernel.function, launch.launch, options);
    if (hazards)
      launch.hazards = std::move(*hazards);
    else
      llvm::consumeError(hazards.takeError()); // the counters of the launch say why
  }
}

std::vector<SeenHazard> hazardsOf(const KernelAnalysis &analysis) {
  std::vector<SeenHazard> seen;
  for (const LaunchEvaluation &launch : analysis.launches)
    for (const simt::Hazard &hazard : launch.hazards)
      if (llvm::none_of(seen, [&](const SeenHazard &known) {
            return known.hazard.kind == hazard.kind && known.hazard.instruction == hazard.instruction;
          }))
        seen.push_back({hazard, &launch});
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
