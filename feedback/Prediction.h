#pragma once

#include "rewriters/Verdict.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpwright {

struct KernelAnalysis;

/// What one shape costs by analysis. Counts are sums over the launch; lower is better.
struct ShapePrediction {
  std::string shape;
  uint64_t globalRequests = 0;
  uint64_t globalSectors = 0;
  uint64_t sharedRequests = 0;
  uint64_t sharedWavefronts = 0;
  uint64_t bankConflicts = 0;
  uint64_t warpInstructions = 0;    ///< of the device IR, all classes
  uint64_t doubleInstructions = 0;  ///< warp instructions in double precision
  uint64_t specialInstructions = 0; ///< warp instructions of the special-function unit
  uint64_t barriers = 0;            ///< warp instructions
  uint64_t atomicRounds = 0; ///< global and shared atomics, as often as lanes of a warp share an address
  uint64_t blocks = 0;       ///< of the launch
  uint64_t warps = 0;        ///< of all blocks
  std::string grade;         ///< "exact", "assumed", "estimated" or "unknown"
};

/// What analysis and ptxas say of one version of one kernel on one architecture.
struct Prediction {
  std::string architecture;
  std::vector<ShapePrediction> shapes; ///< the main shape first
  bool hasResources = false;           ///< the members below were read from ptxas
  unsigned registers = 0;              ///< a thread
  uint64_t spillBytes = 0;             ///< stores and loads
  uint64_t stackBytes = 0;
  uint64_t sharedBytes = 0; ///< static, a block
  unsigned warnings = 0;
  uint64_t machineInstructions = 0; ///< static, in the cubin
  double occupancy = 0;             ///< 0..1, of the main shape
};

Prediction predict(const KernelAnalysis &analysis);
nlohmann::ordered_json toJson(const Prediction &prediction);

/// Whether `candidate` may replace `original` without a measurement: no quantity is worse on any shape and at
/// least one is better. Accepted with what is better as the reason; declined with the first quantity that is
/// worse, or because nothing is better; undecided where a quantity that matters is unknown. Registers are
/// compared as the hardware allocates them, in units of eight a thread: 108 and 109 take the same room.
/// A static count of machine instructions says nothing of how often they run, so it is compared only where no
/// shape's counts differ: then the device IR does the same work, and more of them are what fewer registers
/// cost.
Verdict judgeDominance(const Prediction &original, const Prediction &candidate);

/// The part of judgeDominance() that needs no resources: declined or undecided as there; accepted where the
/// resources are to be seen.
Verdict judgeCounts(const Prediction &original, const Prediction &candidate);

} // namespace warpwright
