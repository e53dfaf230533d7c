#pragma once

#include "clang_plugin/TuningSubject.h"
#include "feedback/loop/Loop.h"

namespace warpwright {

/// How kernels are searched; what is borrowed outlives the tuner.
struct SearchSettings {
  loop::LoopOptions options;
  loop::Store *knowledge = nullptr; ///< where outcomes go; null: nothing is searched
  bool searchesFew = false;         ///< also where measuring all would take no longer: so that it is kept
  double expectedRuns = 0;          ///< of each kernel, of its main shape; 0: not known
  BottlenecksOf bottlenecks;        ///< by profiles; may be null
};

/// What is known of a kernel before its candidates are looked at.
struct BeforeSearch {
  std::optional<Measurement> original; ///< beside itself
  std::string whyNot;                  ///< why it is left alone; empty where it is not
};

/// Looks at the original, and says whether the search can pay: not within 10 % of what the device allows on
/// every shape, nor where the expected runs save less than the search takes at the very best.
llvm::Expected<BeforeSearch> lookBefore(KernelTuning &tuning, const SearchSettings &settings);

/// Looks at candidates in rounds until the loop stops. What leads is left to be measured in full, all else
/// gets its verdict. The words say what it cost and brought.
llvm::Expected<std::string> searchKernel(KernelTuning &tuning, const KernelRecord &record,
                                         const BeforeSearch &before, const SearchSettings &settings);

/// After how many runs of the main shape `seconds` are saved again; empty where nothing is saved.
std::string breakEven(const Measurement &chosen, double seconds);

} // namespace warpwright
