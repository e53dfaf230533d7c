#include "feedback/evaluators/cuda/CudaEvaluator.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

using Json = nlohmann::ordered_json;

namespace {

/// The words of an error that speaks of the kernel or its plan; others pass on.
llvm::Expected<std::string> whyNotMeasurable(llvm::Error error) {
  std::string reason;
  error = llvm::handleErrors(std::move(error), [&](const NotMeasurable &why) { reason = why.reason; });
  if (error)
    return std::move(error);
  return reason;
}

/// A profile for each ordered shape that has none in what came back.
std::vector<Profile> completeProfiles(std::vector<Profile> known, const MeasuredKernel &kernel,
                                      const ProfileOrder &order, const std::string &architecture,
                                      const std::string &why) {
  std::vector<Profile> profiles;
  for (size_t i = 0; i < kernel.shapes.size(); ++i) {
    if (!order.shapes.empty() && !llvm::is_contained(order.shapes, i))
      continue;
    auto found =
        llvm::find_if(known, [&](const Profile &profile) { return profile.shape == kernel.shapes[i].label; });
    Profile profile;
    if (found != known.end()) {
      profile = std::move(*found);
    } else {
      profile.shape = kernel.shapes[i].label;
      profile.architecture = architecture;
      profile.counters.why = profile.samples.why = why;
    }
    profile.code = order.name;
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

} // namespace

llvm::Expected<CudaEvaluator> CudaEvaluator::create(MeasuringPlace &place, const NvccInvocation &invocation,
                                                    const Toolkit &toolkit) {
  llvm::Expected<NvccTarget> target = targetFor(invocation, place.architecture());
  if (!target)
    return target.takeError();
  llvm::Expected<std::string> release = toolkitRelease(toolkit);
  if (!release)
    return release.takeError();
  MeasuredEnvironment environment;
  environment.architecture = "sm_" + target->architecture;
  environment.toolkit = std::move(*release);
  environment.protocol = measurementProtocol;
  environment.flags = deviceFlags(invocation, *target);
  return CudaEvaluator(place, std::move(*target), std::move(environment));
}

llvm::Expected<DeviceCompile> CudaEvaluator::compile(FileRequest request) const {
  request.target = target_;
  return DeviceCompile::start(request, place_->codeFolder());
}

Measurement CudaEvaluator::undecided(const KernelAnalysis &kernel, std::string candidate,
                                     std::string reason) const {
  Measurement measurement;
  measurement.kernel = kernel.kernel.name;
  measurement.candidate = std::move(candidate);
  measurement.verdict = {Verdict::Kind::Undecided, "device", std::move(reason)};
  measurement.environment = environment_;
  return measurement;
}

llvm::Expected<std::optional<Measurement>>
CudaEvaluator::measure(const MeasuredKernel &kernel, const MeasuredCode &original,
                       const MeasuredCode &candidate, const LaunchPlan &plan, const MeasureRequest &request) {
  MeasuredCode before = original, after = candidate;
  before.cubin = place_->codePath(before.cubin);
  after.cubin = place_->codePath(after.cubin);
  llvm::Expected<Json> job = writeJob(kernel, before, after, plan, request);
  if (!job) {
    llvm::Expected<std::string> reason = whyNotMeasurable(job.takeError());
    if (!reason)
      return reason.takeError();
    return std::optional(undecided(*kernel.kernel, request.name, std::move(*reason)));
  }
  llvm::Expected<std::optional<Json>> result = place_->take(*job);
  if (!result)
    return result.takeError();
  if (!*result)
    return std::nullopt;
  llvm::Expected<Measurement> measurement = read(**result, kernel, request);
  if (!measurement)
    return measurement.takeError();
  return std::optional(std::move(*measurement));
}

llvm::Expected<std::optional<std::vector<Profile>>>
CudaEvaluator::profile(const MeasuredKernel &kernel, const MeasuredCode &original, const MeasuredCode &code,
                       const LaunchPlan &plan, const ProfileOrder &order) {
  MeasuredCode before = original, profiled = code;
  before.cubin = place_->codePath(before.cubin);
  profiled.cubin = place_->codePath(profiled.cubin);
  llvm::Expected<Json> job = writeProfileJob(kernel, before, profiled, plan, order);
  if (!job) {
    llvm::Expected<std::string> reason = whyNotMeasurable(job.takeError());
    if (!reason)
      return reason.takeError();
    return std::optional(completeProfiles({}, kernel, order, environment_.architecture, *reason));
  }
  llvm::Expected<std::optional<Json>> result = place_->take(*job);
  if (!result)
    return result.takeError();
  if (!*result)
    return std::nullopt;
  llvm::Expected<ProfiledResult> taken = readProfiles(**result);
  if (!taken)
    return taken.takeError();
  return std::optional(
      completeProfiles(std::move(taken->profiles), kernel, order, environment_.architecture, taken->reason));
}

llvm::Expected<SanitizerReport> CudaEvaluator::sanitize(const MeasuredKernel &kernel,
                                                        const MeasuredCode &original,
                                                        const MeasuredCode &code, const LaunchPlan &plan,
                                                        const std::string &name) {
  MeasuredCode before = original, after = code;
  before.cubin = place_->codePath(before.cubin);
  after.cubin = place_->codePath(after.cubin);
  ProfileOrder order;
  order.name = name;
  llvm::Expected<Json> job = writeProfileJob(kernel, before, after, plan, order);
  if (!job) {
    llvm::Expected<std::string> reason = whyNotMeasurable(job.takeError());
    if (!reason)
      return reason.takeError();
    return SanitizerReport{SanitizerReport::NotRun, *reason};
  }
  job->erase("profile"); // what is left runs the plan once on every shape
  return place_->sanitize(*job);
}

llvm::Expected<Measurement> CudaEvaluator::read(const Json &result, const MeasuredKernel &kernel,
                                                const MeasureRequest &request) const {
  llvm::Expected<Measurement> measurement = readResult(result);
  if (!measurement)
    return measurement.takeError();
  measurement->kernel = kernel.kernel->kernel.name;
  measurement->candidate = request.name;
  measurement->seeds = request.seeds;
  MeasuredEnvironment &environment = measurement->environment;
  environment.toolkit = environment_.toolkit;
  environment.protocol = environment_.protocol;
  environment.flags = environment_.flags;
  for (ShapeMeasurement &shape : measurement->shapes)
    for (const MeasuredShape &known : kernel.shapes)
      if (known.label == shape.shape)
        shape.work = known.work;
  if (kernel.annotation.reference)
    measurement->reference = kernel.annotation.reference->call;
  measurement->notes.insert(measurement->notes.begin(), kernel.notes.begin(), kernel.notes.end());
  return measurement;
}

} // namespace warpwright
