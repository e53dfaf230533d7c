#pragma once

#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/WatchedLaunch.h"
#include "feedback/evaluators/virtual/checks/BlockRaces.h"
#include "feedback/evaluators/virtual/checks/SiteRule.h"

#include <vector>

namespace warpwright::vdevice {

/// What the checks of all workers of one launch share.
class LaunchChecks {
public:
  explicit LaunchChecks(const WatchedLaunch &launch);

  const WatchedLaunch &launch() const { return launch_; }
  llvm::ArrayRef<SiteRule> rules() const { return rules_; }
  BlockRaces &races() { return races_; }

  /// Once, after the launch: races of blocks that nothing orders.
  std::vector<Fault> findRaces() const;

private:
  WatchedLaunch launch_;
  std::vector<SiteRule> rules_;
  BlockRaces races_;
};

/// The fault that a race of two blocks is.
void describeRace(Fault &fault, const WatchedLaunch &launch, const BlockRaces::Race &race);

} // namespace warpwright::vdevice
