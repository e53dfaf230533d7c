#include "feedback/evaluators/cuda/runner/Evaluation.h"

#include "feedback/evaluators/cuda/runner/DeviceLock.h"
#include "feedback/evaluators/cuda/runner/PlanProfiles.h"
#include "feedback/evaluators/cuda/runner/Sampler.h"
#include "feedback/evaluators/cuda/runner/TimingReport.h"

#include <memory>

namespace warpwright::runner {
namespace {

/// The code of a job on the device.
struct Programs {
  Program original;
  Program twin; ///< the original's code, loaded a second time, elsewhere
  std::optional<Program> candidate;
};

/// One shape, from its memory to its report.
class ShapeEvaluation {
public:
  ShapeEvaluation(const Job &job, const Device &device, Programs &programs, const Scrubber &scrubber,
                  StreamTimer &timer, const Messages &messages)
      : job_(job), device_(device), programs_(programs), scrubber_(scrubber), timer_(timer),
        messages_(messages) {}

  Ended evaluate(const Shape &shape) {
    Fallible<Workspace> workspace = Workspace::create(device_, shape, job_.limits.deviceBytes);
    if (!workspace)
      return Stop{std::nullopt, workspace.failure(), Ending::Undecided};
    BoundPlan original(device_, programs_.original, shape.original, *workspace, false);
    BoundPlan twin(device_, programs_.twin, shape.original, *workspace, false);
    variants_[0] = {"original", Blame::Original, &original};
    variants_[1] = {"twin of the original", Blame::Original, &twin};
    Bench bench(job_, device_, *workspace, scrubber_, messages_);
    report_ = {{"name", shape.name}};
    if (!shape.candidate)
      return measureAlone(bench, *workspace);
    BoundPlan candidate(device_, *programs_.candidate, *shape.candidate, *workspace, true);
    variants_[2] = {"candidate", Blame::Candidate, &candidate};
    FreshLoader fresh = [&] { return load(shape, *workspace); };
    Correctness correctness(bench, variants_[0], variants_[2], fresh);
    Ended ended = correctness.check();
    if (!ended && job_.measure.timing)
      ended = time(bench, &variants_[2], &correctness);
    report_["checks"] = correctness.report();
    messages_.shape(report_);
    return ended;
  }

  /// After all shapes were evaluated: profiling changes how the device runs.
  Ended profile(const Shape &shape, const Profiler *profiler, const std::string &whyNone) {
    Fallible<Workspace> workspace = Workspace::create(device_, shape, job_.limits.deviceBytes);
    if (!workspace)
      return Stop{std::nullopt, workspace.failure(), Ending::Undecided};
    Bench bench(job_, device_, *workspace, scrubber_, messages_);
    PlanProfiles profiles(bench, profiler, whyNone);
    if (Ended ended = profiles.begin())
      return ended;
    auto prepare = [&] { return bench.prepare({}); };
    BoundPlan original(device_, programs_.original, shape.original, *workspace, false);
    ProfileSubject subject = {job_.original.image, &shape.original, &*workspace, false, prepare};
    Ended ended = profiles.profile({"original", Blame::Original, &original}, "original", subject);
    if (ended || !shape.candidate)
      return ended;
    BoundPlan candidate(device_, *programs_.candidate, *shape.candidate, *workspace, true);
    subject = {job_.candidate->image, &*shape.candidate, &*workspace, true, prepare};
    return profiles.profile({"candidate", Blame::Candidate, &candidate}, "candidate", subject);
  }

private:
  Ended measureAlone(Bench &bench, Workspace &workspace) {
    for (unsigned slot = 0; slot < Workspace::slots; ++slot)
      if (Problem problem = workspace.draw(job_.seeds.front() + slot, slot))
        return Stop::of(*problem);
    Ended ended = bench.run(variants_[0], {}, "first run");
    if (!ended && job_.measure.timing)
      ended = time(bench, nullptr, nullptr);
    messages_.shape(report_);
    return ended;
  }

  Ended time(Bench &bench, const Variant *candidate, Correctness *correctness) {
    const Shape &shape = bench.shape();
    Sampler sampler(bench, timer_, variants_[0], variants_[1], candidate, correctness);
    if (Ended ended = sampler.measure())
      return ended;
    TimingContext context;
    context.coldDecides = job_.measure.coldDecides;
    context.exceedsCache = shape.footprint() > device_.l2Bytes();
    context.asksForPersistingLines = shape.candidate && shape.candidate->asksForPersistingLines();
    TimingVerdict verdict = judgeTimings(sampler.timings(), context);
    report_["timing"] = timingDocument(sampler.timings(), verdict, sampler.batch(), sampler.sessions());
    if (!candidate)
      return std::nullopt;
    if (job_.measure.checkAfter)
      if (Ended ended = correctness->checkAgain())
        return ended;
    auto fault = [&](FaultKind kind) {
      return Stop::of(bench.fault(kind, *candidate, std::string(meaningOf(kind))));
    };
    if (verdict.worksAfterEnd)
      return fault(FaultKind::WorkAfterEnd);
    if (verdict.dependsOnState)
      return fault(FaultKind::StateDependentTime);
    if (verdict.needsPersistingCache)
      return fault(FaultKind::PersistingCache);
    return std::nullopt;
  }

  Fallible<FreshCandidate> load(const Shape &shape, const Workspace &workspace) const {
    Fallible<Program> program = Program::load(device_, job_.candidate->image);
    if (!program)
      return program.failure();
    FreshCandidate fresh;
    fresh.program = std::make_unique<Program>(std::move(*program));
    if (Problem problem = fresh.program->prepare(*shape.candidate))
      return *problem;
    fresh.plan = std::make_unique<BoundPlan>(device_, *fresh.program, *shape.candidate, workspace, true);
    return fresh;
  }

  const Job &job_;
  const Device &device_;
  Programs &programs_;
  const Scrubber &scrubber_;
  StreamTimer &timer_;
  const Messages &messages_;
  Variant variants_[3];
  Json report_;
};

/// Loads a file and prepares all plans that use it; what goes wrong is its owner's fault.
Fallible<Program> loadProgram(const Job &job, const Device &device, const std::string &image,
                              bool ofCandidate) {
  Fallible<Program> program = Program::load(device, image);
  if (!program)
    return program;
  for (const Shape &shape : job.shapes)
    if (Problem problem = program->prepare(ofCandidate ? *shape.candidate : shape.original))
      return *problem;
  return program;
}

std::variant<Programs, Stop> loadPrograms(const Job &job, const Device &device, const Messages &messages) {
  auto fault = [](Blame blame, const Failure &failure) {
    return Stop::of(Fault{FaultKind::LoadFailed, blame, "", failure.text});
  };
  messages.begin("loading the original", Blame::Original, job.limits.runSeconds);
  Fallible<Program> original = loadProgram(job, device, job.original.image, false);
  if (!original)
    return fault(Blame::Original, original.failure());
  Fallible<Program> twin = loadProgram(job, device, job.original.image, false);
  if (!twin)
    return fault(Blame::Original, twin.failure());
  Programs programs = {std::move(*original), std::move(*twin), std::nullopt};
  if (!job.candidate)
    return programs;
  messages.begin("loading the candidate", Blame::Candidate, job.limits.runSeconds);
  Fallible<Program> candidate = loadProgram(job, device, job.candidate->image, true);
  if (!candidate)
    return fault(Blame::Candidate, candidate.failure());
  programs.candidate.emplace(std::move(*candidate));
  return programs;
}

void tell(const Stop &stop, const Messages &messages) {
  if (stop.fault)
    messages.fault(*stop.fault);
  else
    messages.end(stop.ending, stop.failure.text);
}

/// Whether a profile is all that the job asks for.
bool onlyProfiles(const Job &job) {
  return !job.candidate && !job.measure.timing;
}

Ended profileAll(ShapeEvaluation &evaluation, const Device &device, const Job &job,
                 const std::string &library) {
  Fallible<std::unique_ptr<Profiler>> profiler = Profiler::load(device, library);
  if (!profiler && onlyProfiles(job))
    return Stop{std::nullopt, profiler.failure(), Ending::NoProfiler};
  const Profiler *found = profiler ? profiler->get() : nullptr;
  for (const Shape &shape : job.shapes)
    if (Ended ended = evaluation.profile(shape, found, found ? "" : profiler.failure().text))
      return ended;
  return std::nullopt;
}

void evaluateOn(Device &device, const Job &job, const std::string &profiler, const Messages &messages) {
  if (Problem problem = device.open())
    return messages.end(Ending::NoDevice, problem->text);
  messages.environment(device.describe());
  std::variant<Programs, Stop> programs = loadPrograms(job, device, messages);
  if (Stop *stop = std::get_if<Stop>(&programs))
    return tell(*stop, messages);
  Scrubber scrubber(device);
  if (!scrubber.available())
    messages.note(
        "shared memory is not scrubbed: the driver does not compile the few lines of PTX that do it");
  Fallible<StreamTimer> timer = StreamTimer::create(device);
  if (!timer)
    return messages.end(Ending::ToolFault, timer.failure().text);
  if (!timer->gated())
    messages.note("launches are timed as they come: the driver cannot hold a stream");
  ShapeEvaluation evaluation(job, device, std::get<Programs>(programs), scrubber, *timer, messages);
  for (const Shape &shape : job.shapes)
    if (Ended ended = evaluation.evaluate(shape))
      return tell(*ended, messages);
  if (job.profile)
    if (Ended ended = profileAll(evaluation, device, job, profiler))
      return tell(*ended, messages);
  messages.accepted();
}

} // namespace

void evaluate(const Job &job, const DeviceChoice &choice, const Messages &messages) {
  Fallible<Driver> driver = Driver::load(choice.driver);
  if (!driver)
    return messages.end(Ending::NoDriver, driver.failure().text);
  Fallible<Device> device = Device::find(*driver, choice.ordinal);
  if (!device)
    return messages.end(Ending::NoDevice, device.failure().text);
  if (choice.lockFolder.empty())
    return evaluateOn(*device, job, choice.cupti, messages);
  messages.waiting("waiting for the device");
  Fallible<DeviceLock> lock = DeviceLock::acquire(choice.lockFolder, device->uuid());
  if (!lock)
    return messages.end(Ending::ToolFault, lock.failure().text);
  messages.own("opening the device");
  evaluateOn(*device, job, choice.cupti, messages);
}

} // namespace warpwright::runner
