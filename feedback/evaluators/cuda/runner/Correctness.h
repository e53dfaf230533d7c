#pragma once

#include "feedback/evaluators/cuda/runner/Bench.h"

#include <functional>
#include <memory>

namespace warpwright::runner {

/// Loads the candidate's code once more, with device variables as they are in the file, and binds its plan.
struct FreshCandidate {
  std::unique_ptr<Program> program;
  std::unique_ptr<BoundPlan> plan;
};
using FreshLoader = std::function<Fallible<FreshCandidate>()>;

/// Holds a candidate's results against the original's on one shape. The two run in turns, sometimes one first
/// and sometimes the other, each on newly loaded inputs, poisoned outputs and scratch, guards and shared
/// memory of random contents.
class Correctness {
public:
  Correctness(Bench &bench, const Variant &original, const Variant &candidate, FreshLoader fresh);

  /// Every seed, then repeats on the same inputs. Afterwards both slots hold inputs whose right results are
  /// known.
  Ended check();
  /// Inputs never seen before, for after the timing.
  Ended checkAgain();
  /// Holds what is in the buffers now, after a run on a slot's inputs with expectedPoison(slot), against what
  /// is right.
  Ended checkCurrent(unsigned slot, const std::string &what);
  uint32_t expectedPoison(unsigned slot) const { return known_[slot].poison; }

  /// Errors by buffer, what varies, how often it was run.
  Json report() const;

private:
  /// Inputs of a slot and what the original makes of them.
  struct Known {
    uint32_t poison = 0;
    Outputs outputs;
  };
  Ended compareSeed(uint64_t seed, unsigned number);
  Ended checkOriginalTwice(unsigned slot);
  Ended repeat(unsigned slot);
  Ended judgePooled();
  /// The errors of `found` against what is right for the slot; also added to the pooled ones.
  std::optional<std::string> compare(unsigned slot, const Outputs &found, bool pool);
  Stop diagnose(const Circumstances &circumstances, const Outputs &found, const std::string &wrong,
                const std::string &what);
  bool leftUnwritten(unsigned slot, const Outputs &found) const;
  Circumstances circumstances(unsigned slot, unsigned number) const;

  Bench &bench_;
  const Variant &original_;
  const Variant &candidate_;
  FreshLoader fresh_;
  Known known_[Workspace::slots];
  Outputs found_;
  Outputs other_;
  std::vector<double> scales_; ///< root mean square of the original's results, by buffer
  std::vector<values::ErrorAccumulator> pooled_;
  unsigned repeats_ = 0;
  unsigned seeds_ = 0;
  bool originalVaries_ = false;
  bool candidateVaries_ = false;
};

/// Whether every output has the same bits in both.
bool sameBits(const Shape &shape, const Outputs &first, const Outputs &second);

} // namespace warpwright::runner
