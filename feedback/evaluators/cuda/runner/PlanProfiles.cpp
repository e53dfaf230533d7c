#include "feedback/evaluators/cuda/runner/PlanProfiles.h"

namespace warpwright::runner {

Ended PlanProfiles::begin() {
  for (unsigned slot = 0; slot < Workspace::slots; ++slot)
    if (Problem problem = bench_.workspace().draw(bench_.job().seeds.front() + slot, slot))
      return Stop::of(*problem);
  return std::nullopt;
}

Json PlanProfiles::describe(const std::string &code, const BoundPlan &plan) const {
  const Device &device = bench_.device();
  Json profile = {{"schema", "warpwright/profile/1"},
                  {"code", code},
                  {"shape", bench_.shape().name},
                  {"device", device.name()},
                  {"architecture", device.architecture()},
                  {"counters", {{"state", "missing"}, {"why", whyNone_}}},
                  {"samples", {{"state", "missing"}, {"why", whyNone_}}},
                  {"launches", Json::array()},
                  {"notes", Json::array()}};
  for (const BoundPlan::Kernel &kernel : plan.kernels()) {
    const cuda::LaunchConfiguration &launch = kernel.configuration;
    auto attribute = [&](cuda::FunctionAttribute which) {
      int value = 0;
      device.driver()->functionGetAttribute(&value, which, kernel.function);
      return value;
    };
    profile["launches"].push_back(
        {{"symbol", kernel.symbol},
         {"grid", {launch.gridX, launch.gridY, launch.gridZ}},
         {"block", {launch.blockX, launch.blockY, launch.blockZ}},
         {"registers", attribute(cuda::functionRegisters)},
         {"shared_bytes", attribute(cuda::functionSharedBytes) + launch.sharedBytes},
         {"local_bytes", attribute(cuda::functionLocalBytes)}});
  }
  return profile;
}

Ended PlanProfiles::profile(const Variant &variant, const std::string &code, const ProfileSubject &subject) {
  // Once as it is: what fails here is the plan's, and caches are as warm as in a timed run afterwards.
  if (Ended ended = bench_.run(variant, {}, "before the profile"))
    return ended;
  Json profile = describe(code, *variant.plan);
  const ProfileRequest &request = *bench_.job().profile;
  bench_.messages().own(bench_.shape().name + ": profile of the " + variant.name);
  Problem problem = subject.prepare();
  if (!problem)
    problem = bench_.device().synchronize();
  if (problem)
    return Stop::of(*problem);
  for (auto [key, asked] : {std::pair{"counters", request.counters}, {"samples", request.samples}})
    if (!asked)
      profile[key]["why"] = "not asked for";
  if (profiler_ && request.counters)
    profiler_->counters(*variant.plan, profile);
  if (profiler_ && request.samples)
    profiler_->samples(subject, profile);
  bench_.messages().profile(profile);
  return std::nullopt;
}

} // namespace warpwright::runner
