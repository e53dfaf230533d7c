#include "feedback/CostModel.h"

#include <algorithm>

namespace warpwright {

double predictedCycles(const Architecture &architecture, const Prediction &prediction, size_t shape) {
  constexpr double sectorsPerCycle = 2;
  constexpr double wavefrontsPerCycle = 1;
  constexpr double occupancyThatHidesLatency = 0.25;
  const ShapePrediction &counts = prediction.shapes[shape];
  double doubleCycles = double(counts.doubleInstructions) * Architecture::warpSize / architecture.fp64;
  double busiest = std::max({double(counts.globalSectors) / sectorsPerCycle,
                             double(counts.sharedWavefronts) / wavefrontsPerCycle,
                             double(counts.warpInstructions) / Architecture::warpSchedulers, doubleCycles});
  if (!prediction.hasResources)
    return busiest;
  return busiest / std::clamp(prediction.occupancy / occupancyThatHidesLatency, 0.05, 1.0);
}

} // namespace warpwright
