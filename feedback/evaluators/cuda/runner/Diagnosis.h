#pragma once

#include "feedback/evaluators/cuda/runner/Correctness.h"

namespace warpwright::runner {

/// Finds out why results were wrong, by running the candidate again with one thing changed at a time. Only
/// names the cause: that the candidate is declined was decided before.
struct Diagnosis {
  Bench &bench;
  const Variant &original;
  const Variant &candidate;
  const FreshLoader &fresh;
  /// Whether outputs are right for the circumstances that failed.
  std::function<bool(const Outputs &)> isRight;

  Stop nameCause(const Circumstances &failed, bool leftUnwritten, const std::string &detail) const;

private:
  /// Wrong in the module that has run before, right in one loaded anew.
  bool dependsOnDeviceState(const Circumstances &failed) const;
  /// Whether the outputs under `changed` have other bits than `before`; nothing where it did not run.
  std::optional<bool> differs(const Circumstances &changed, const Outputs &before) const;
  bool readsOutputs(const Circumstances &failed, const Outputs &before) const;
};

} // namespace warpwright::runner
