#pragma once

#include "clang_plugin/KernelTuning.h"

namespace warpwright {

/// Profiles of one kernel while it is tuned, read by the rules and kept in its record. The original is
/// profiled before anything is proposed to it, and each new best again, because bottlenecks move: whoever
/// proposes the next candidates asks readingOf() what to propose against.
class TuningProfiles {
public:
  /// Both are borrowed. `record` gets what is taken; its findings are those of the original.
  /// Confidences come from the calibration where there is one.
  TuningProfiles(KernelTuning &tuning, KernelRecord &record, const Calibration *calibration)
      : tuning_(tuning), record_(record), calibration_(calibration) {}

  /// The original, on every shape. Without counters nothing else is profiled, and the record says why.
  llvm::Error takeOriginal();
  /// The set that leads by what was measured so far, on the main shape, unless it was profiled before.
  llvm::Error takeBest() { return takeLeading(1); }
  /// The two that lead in the end, likewise.
  llvm::Error takeTopTwo() { return takeLeading(2); }

  /// One set on one shape, by position: its primary and secondary bottleneck with all that was found. An
  /// empty set is the original. Taken once, then remembered. Nothing where there is no profile; the record
  /// says why.
  llvm::Expected<const ProfileReading *> readingOf(const GuardedSet &set, size_t shape = 0);

  /// What the search is led by: the primary and the secondary bottleneck of that reading. None where there is
  /// no profile.
  llvm::Expected<std::vector<Bottleneck>> bottlenecksOf(const GuardedSet &set);

private:
  llvm::Error takeLeading(size_t most);
  llvm::Error take(const GuardedSet &set, llvm::ArrayRef<size_t> shapes);
  const ProfileReading *known(const GuardedSet &set, size_t shape) const;

  KernelTuning &tuning_;
  KernelRecord &record_;
  const Calibration *calibration_;
  bool hasCounters_ = true;                               ///< until a profile had none
  std::map<std::pair<GuardedSet, size_t>, size_t> taken_; ///< by set and shape: position in the record
};

} // namespace warpwright
