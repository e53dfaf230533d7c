#include "feedback/evaluators/cuda/CudaEvaluator.h"

namespace warpwright {

using Json = nlohmann::ordered_json;

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
    std::string reason;
    llvm::Error error =
        llvm::handleErrors(job.takeError(), [&](const NotMeasurable &why) { reason = why.reason; });
    if (error)
      return std::move(error);
    return std::optional(undecided(*kernel.kernel, request.name, std::move(reason)));
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
  measurement->notes.insert(measurement->notes.begin(), kernel.notes.begin(), kernel.notes.end());
  return measurement;
}

} // namespace warpwright
