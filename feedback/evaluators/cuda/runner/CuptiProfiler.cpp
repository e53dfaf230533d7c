#include "feedback/evaluators/cuda/runner/Profiler.h"
#include "feedback/evaluators/cuda/runner/RangeCounters.h"
#include "feedback/evaluators/cuda/runner/StallSamples.h"

#include <set>

namespace warpwright::runner {
namespace {

/// Enough for lines that hold a hundredth of the time to be seen; more is only slower.
constexpr uint64_t enoughSamples = 20000;
constexpr unsigned mostRuns = 64;

void fail(Json &half, const Failure &failure) {
  half["state"] = "missing";
  half["why"] = failure.text;
}

class CuptiProfiler : public Profiler {
public:
  CuptiProfiler(const Device &device, const Cupti &cupti) : device_(device), cupti_(cupti) {}

  void counters(const BoundPlan &plan, Json &profile) const override {
    Json &half = profile["counters"];
    auto run = [&]() -> Problem {
      if (Problem problem = plan.enqueue())
        return problem;
      return device_.synchronize();
    };
    Fallible<CountedLaunches> counted = collectCounters(cupti_, device_, plan.kernels().size(), run);
    if (!counted)
      return fail(half, counted.failure());
    Json &launches = profile["launches"];
    if (counted->launches.size() != launches.size())
      return fail(half, {std::to_string(counted->launches.size()) + " launches were counted, " +
                         std::to_string(launches.size()) + " were made"});
    half["state"] = "collected";
    half["passes"] = counted->passes;
    for (size_t i = 0; i < launches.size(); ++i)
      launches[i].update(counted->launches[i]);
  }

  void samples(const ProfileSubject &subject, Json &profile) const override {
    Json &half = profile["samples"];
    Fallible<std::unique_ptr<StallSamples>> samples = StallSamples::enable(cupti_, device_);
    if (!samples)
      return fail(half, samples.failure());
    if (Problem problem = sample(subject, **samples))
      return fail(half, *problem);
    half["state"] = "collected";
    half["period_cycles"] = (*samples)->periodCycles();
    half["total"] = (*samples)->total();
    half["dropped"] = (*samples)->dropped();
    std::set<std::string> seen; // samples know the kernel, not which of its launches
    for (Json &launch : profile["launches"])
      if (seen.insert(launch["symbol"]).second)
        launch["lines"] = (*samples)->linesOf(launch["symbol"], subject.image);
  }

private:
  /// Code must be loaded after sampling was enabled for its instructions to be known.
  Problem sample(const ProfileSubject &subject, StallSamples &samples) const {
    Fallible<Program> program = Program::load(device_, subject.image);
    if (!program)
      return program.failure();
    if (Problem problem = program->prepare(*subject.plan))
      return problem;
    BoundPlan plan(device_, *program, *subject.plan, *subject.workspace, subject.ofCandidate);
    for (unsigned runs = 0; runs < mostRuns && samples.total() < enoughSamples; ++runs) {
      if (Problem problem = subject.prepare())
        return problem;
      if (Problem problem = device_.synchronize())
        return problem;
      if (Problem problem = samples.start())
        return problem;
      Problem refused = plan.enqueue();
      Problem stopped = device_.synchronize();
      if (refused || stopped)
        return refused ? refused : stopped;
      if (Problem problem = samples.stop())
        return problem;
    }
    return std::nullopt;
  }

  const Device &device_;
  Cupti cupti_;
};

} // namespace

Fallible<std::unique_ptr<Profiler>> Profiler::load(const Device &device, const std::string &library) {
  Fallible<Cupti> cupti = Cupti::load(library);
  if (!cupti)
    return cupti.failure();
  return std::unique_ptr<Profiler>(std::make_unique<CuptiProfiler>(device, *cupti));
}

} // namespace warpwright::runner
