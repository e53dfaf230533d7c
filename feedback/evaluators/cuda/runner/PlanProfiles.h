#pragma once

#include "feedback/evaluators/cuda/runner/Bench.h"
#include "feedback/evaluators/cuda/runner/Profiler.h"

namespace warpwright::runner {

/// Profiles of plans on one shape, each sent as a document of its own (warpwright/profile/1).
class PlanProfiles {
public:
  /// `profiler` null: there is none, and `whyNone` says why; documents then hold the launches alone.
  PlanProfiles(Bench &bench, const Profiler *profiler, std::string whyNone)
      : bench_(bench), profiler_(profiler), whyNone_(std::move(whyNone)) {}

  /// Draws the inputs, for all plans of the shape.
  Ended begin();
  /// `code` is what the document calls it. What the profiler cannot do is in the document; only a plan that
  /// does not run at all ends anything.
  Ended profile(const Variant &variant, const std::string &code, const ProfileSubject &subject);

private:
  Json describe(const std::string &code, const BoundPlan &plan) const;

  Bench &bench_;
  const Profiler *profiler_;
  std::string whyNone_;
};

} // namespace warpwright::runner
