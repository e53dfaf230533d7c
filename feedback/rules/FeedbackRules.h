#pragma once

#include "feedback/Profile.h"
#include "feedback/rules/Diagnosis.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Reasons of waits for global memory: for what it loads, or for its queue.
inline constexpr llvm::StringLiteral longWaits[] = {"long_scoreboard", "lg_throttle"};

/// A launch's counters as the rules reason about them.
///
/// Time of a multiprocessor is time in which some scheduler issues, and time in which all its warps wait; the
/// hardware counts what each warp waits for in every cycle (the stalls of Counters.def), so that waiting is
/// shared out by reasons. Each rule answers how much of the launch's time it explains.
class LaunchReading {
public:
  explicit LaunchReading(const LaunchProfile &launch, llvm::StringRef architecture);

  const LaunchProfile &launch() const { return launch_; }
  llvm::StringRef architecture() const { return architecture_; }

  double value(llvm::StringRef id) const; ///< 0 where it was not counted
  /// 0..1 of the launch in which multiprocessors have warps, their mean.
  double active() const { return active_; }
  /// 0..1 of the launch in which schedulers issue.
  double issuing() const { return issuing_; }
  /// 0..1 of the launch in which warps are there, none issues, and they wait for one of `reasons`.
  double waiting(llvm::ArrayRef<llvm::StringLiteral> reasons) const;
  /// How far a unit that is busy for `percent` limits the launch, 0..1: nothing below 60 percent, all from 80
  /// on. Nsight Compute's Speed Of Light rules divide latency-bound from throughput-bound launches there.
  static double limits(double percent);
  /// The largest limits() of device memory, L2 and L1: where a memory is full, waiting for it is no latency.
  double memoryLimits() const { return memoryLimits_; }
  /// 0..1 of the sectors that global accesses moved without need: see readWastedSectors.
  double wastedSectors() const { return wasted_; }
  /// 0..1 of what L1 asked of L2 that device memory moved: near 1 where nothing is read again.
  double passesThrough() const { return passesThrough_; }
  /// 0..1 of all sectors of threads that are those of local memory.
  double localSectors() const { return local_; }
  /// 0..1 of lanes that work, over all instructions.
  double lanes() const { return lanes_; }
  /// 0..1 of shared-memory instructions that are atomic, and of global ones.
  double sharedAtomics() const { return sharedAtomics_; }
  double globalAtomics() const { return globalAtomics_; }

private:
  void readMemory();

  const LaunchProfile &launch_;
  llvm::StringRef architecture_;
  double active_ = 1;
  double issuing_ = 0;
  double stalled_ = 0; ///< warp cycles that waited
  double memoryLimits_ = 0;
  double passesThrough_ = 0;
  double wasted_ = 0;
  double local_ = 0;
  double lanes_ = 1;
  double sharedAtomics_ = 0;
  double globalAtomics_ = 0;
};

/// What a rule says of a launch.
struct RuleMatch {
  double share = 0;      ///< 0..1 of the launch's time
  double confidence = 1; ///< in the reading itself
  std::string message;
  std::vector<Evidence> evidence;
  std::vector<std::string> stalls; ///< whose source line the match is about
};

/// A row of FeedbackRules.def.
struct FeedbackRule {
  llvm::StringLiteral id;
  std::optional<RuleMatch> (*read)(const LaunchReading &);
  Bottleneck bottleneck;
  llvm::StringLiteral findings;
  llvm::StringLiteral structuralAdvice;
  llvm::StringLiteral parameterAdvice;
};

/// Every rule, sorted by id.
llvm::ArrayRef<FeedbackRule> feedbackRules();

} // namespace warpwright
