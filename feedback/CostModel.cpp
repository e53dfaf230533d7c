#include "feedback/CostModel.h"

#include <algorithm>
#include <cmath>

namespace warpwright {
namespace {

/// Loads that a warp has under way before it waits for one: nvcc unrolls short loops by four.
constexpr double loadsUnderWay = 4;
/// Without ptxas' word on it.
constexpr double usualOccupancy = 0.5;

/// How the launch's blocks are spread.
struct Spread {
  double share = 1;         ///< of all work that the busiest multiprocessor does
  double residentWarps = 1; ///< on it, at a time
};

Spread spreadOf(const Architecture &architecture, const Prediction &prediction, const ShapePrediction &counts,
                const DeviceFigures &figures) {
  const double occupancy = prediction.hasResources ? prediction.occupancy : usualOccupancy;
  const double mostWarps = std::max(1.0, occupancy * architecture.maxWarps);
  if (counts.blocks == 0)
    return {1 / figures.multiprocessors, mostWarps};
  const double warpsPerBlock = double(counts.warps) / double(counts.blocks);
  const double together =
      std::max(1.0, std::floor(mostWarps / warpsPerBlock + 0.01)) * figures.multiprocessors;
  const double blocks = double(counts.blocks);
  Spread spread;
  // As many blocks as fit run at a time: the last of them may leave most multiprocessors idle.
  const double waves = std::ceil(blocks / together);
  const double mostOnOne =
      waves > 1 ? waves * together / figures.multiprocessors : std::ceil(blocks / figures.multiprocessors);
  // Blocks of a long launch do not march in step, so that its last wave counts for less.
  const double inStep = std::max(mostOnOne / blocks, 1 / figures.multiprocessors);
  spread.share =
      waves > 1 ? 1 / figures.multiprocessors + (inStep - 1 / figures.multiprocessors) / 2 : inStep;
  spread.residentWarps = std::min(mostWarps, std::ceil(blocks / figures.multiprocessors) * warpsPerBlock);
  return spread;
}

} // namespace

double estimatedCycles(const Architecture &architecture, const Prediction &prediction, size_t shape,
                       const DeviceFigures &figures) {
  const ShapePrediction &counts = prediction.shapes[shape];
  const Spread spread = spreadOf(architecture, prediction, counts, figures);
  auto mine = [&](uint64_t count) { return double(count) * spread.share; };
  constexpr double sector = Architecture::sectorBytes, lanes = Architecture::warpSize;
  constexpr double wavefrontBytes = Architecture::sharedBanks * Architecture::sharedBankBytes;
  const double units[] = {
      mine(counts.globalSectors) * sector / figures.l1Bytes,
      // All multiprocessors share it, so that idle ones leave more to the others.
      double(counts.globalSectors) * sector / (figures.l2Bytes * figures.multiprocessors),
      mine(counts.sharedWavefronts) * wavefrontBytes / figures.sharedBytes,
      mine(counts.warpInstructions) / Architecture::warpSchedulers,
      mine(counts.doubleInstructions) * lanes / std::max(figures.fp64, 1.0),
      mine(counts.specialInstructions) * lanes / std::max(figures.special, 1.0),
      mine(counts.atomicRounds),
  };
  const double busiest = *std::max_element(std::begin(units), std::end(units));
  const double waited = (mine(counts.globalRequests) * figures.l2Latency +
                         mine(counts.sharedRequests) * figures.sharedLatency) /
                            (spread.residentWarps * loadsUnderWay) +
                        mine(counts.barriers) * figures.sharedLatency / spread.residentWarps;
  // Between full units and bare latency there is no edge: each shows a little behind the other. What is not
  // the busiest counts, too, so that of two equals the one with less of everything else comes first.
  double others = 0;
  for (double unit : units)
    others += unit;
  constexpr double showingThrough = 0.1;
  return std::hypot(busiest, waited) + showingThrough * (others - busiest) +
         figures.launchMicroseconds * 1e-6 * figures.clockHertz;
}

std::vector<double> estimatedRatios(const Prediction &before, const Prediction &after,
                                    const DeviceFigures &figures) {
  const Architecture *architecture = findArchitecture(before.architecture);
  if (!architecture || before.shapes.size() != after.shapes.size())
    return {};
  std::vector<double> ratios;
  for (size_t shape = 0; shape < before.shapes.size(); ++shape) {
    if (before.shapes[shape].grade == "unknown" || after.shapes[shape].grade == "unknown")
      return {};
    ratios.push_back(estimatedCycles(*architecture, after, shape, figures) /
                     estimatedCycles(*architecture, before, shape, figures));
  }
  return ratios;
}

double meanOfRatios(llvm::ArrayRef<double> ratios, bool keepsOriginal) {
  double logarithms = 0;
  for (double ratio : ratios)
    logarithms += std::log(keepsOriginal ? std::min(ratio, 1.0) : ratio);
  return ratios.empty() ? 0 : std::exp(logarithms / double(ratios.size()));
}

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
