#include "clang_plugin/VerifyOnDevice.h"

#include "feedback/evaluators/Signatures.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

RunnerChoice runnerOf(const Options &options, std::string temporaryDirectory) {
  RunnerChoice choice;
  choice.program = options.runner.empty() ? findRunner(options.program) : options.runner;
  choice.driver = options.driver;
  choice.sanitizer = options.sanitizer;
  choice.temporaryDirectory = std::move(temporaryDirectory);
  return choice;
}

llvm::Expected<std::unique_ptr<DeviceVerifier>> DeviceVerifier::create(const Options &options, Side original,
                                                                       Side candidate) {
  llvm::Expected<LocalDevice> device = LocalDevice::find(runnerOf(options, {}));
  if (!device)
    return device.takeError();
  std::unique_ptr<DeviceVerifier> verifier(new DeviceVerifier(std::move(*device)));
  verifier->isSanitized_ = !options.sanitizer.empty();
  llvm::Error error =
      llvm::handleErrors(verifier->compile(original, candidate),
                         [&](const NotMeasurable &why) { verifier->notMeasurable_ = why.reason; });
  if (error)
    return std::move(error);
  return verifier;
}

/// Both at once; candidates of a plan often stand in the original's own file.
llvm::Error DeviceVerifier::compile(Side original, Side candidate) {
  llvm::Expected<CudaEvaluator> evaluator =
      CudaEvaluator::create(device_, original.request->invocation, original.request->toolkit);
  if (!evaluator)
    return evaluator.takeError();
  evaluator_.emplace(std::move(*evaluator));
  llvm::Expected<DeviceCompile> first = evaluator_->compile(*original.request);
  if (!first)
    return first.takeError();
  std::optional<DeviceCompile> second;
  if (candidate.file != original.file) {
    llvm::Expected<DeviceCompile> started = evaluator_->compile(*candidate.request);
    if (!started)
      return started.takeError();
    second.emplace(std::move(*started));
  }
  llvm::Expected<MeasuredCode> code = first->finish(*original.file);
  if (!code)
    return code.takeError();
  original_ = std::move(*code);
  if (!second) {
    candidate_ = original_;
    return llvm::Error::success();
  }
  llvm::Expected<MeasuredCode> other = second->finish(*candidate.file);
  if (!other)
    return other.takeError();
  candidate_ = std::move(*other);
  return llvm::Error::success();
}

llvm::Expected<Measurement> DeviceVerifier::verify(const KernelAnalysis &kernel, const LaunchPlan &plan) {
  std::string reason = notMeasurable_;
  if (reason.empty()) {
    llvm::Expected<Measurement> measurement = measure(kernel, plan);
    if (measurement)
      return measurement;
    llvm::Error error =
        llvm::handleErrors(measurement.takeError(), [&](const NotMeasurable &why) { reason = why.reason; });
    if (error)
      return std::move(error);
  }
  if (evaluator_)
    return evaluator_->undecided(kernel, plan.label(), std::move(reason));
  Measurement undecided;
  undecided.kernel = kernel.kernel.name;
  undecided.candidate = plan.label();
  undecided.verdict = {Verdict::Kind::Undecided, "device", std::move(reason)};
  return undecided;
}

llvm::Expected<Measurement> DeviceVerifier::measure(const KernelAnalysis &kernel, const LaunchPlan &plan) {
  auto signature = llvm::find_if(original_.signatures, [&](const AnnotationContext &known) {
    return known.kernel == kernel.kernel.name;
  });
  llvm::Expected<MeasuredKernel> prepared = prepareKernel(kernel, *signature);
  if (!prepared)
    return prepared.takeError();
  MeasureRequest request;
  request.name = plan.label();
  llvm::Expected<std::optional<Measurement>> measurement =
      evaluator_->measure(*prepared, original_, candidate_, plan, request);
  if (!measurement)
    return measurement.takeError();
  Measurement &taken = **measurement; // a local device answers at once
  if (isSanitized_ && taken.verdict.kind == Verdict::Kind::Accepted)
    if (llvm::Error error = sanitize(*prepared, plan, taken))
      return std::move(error);
  return std::move(taken);
}

/// What the original does wrong as well is not held against the candidate, and leaves it undecided.
llvm::Error DeviceVerifier::sanitize(const MeasuredKernel &kernel, const LaunchPlan &plan,
                                     Measurement &measurement) {
  llvm::Expected<SanitizerReport> report =
      evaluator_->sanitize(kernel, original_, candidate_, plan, measurement.candidate);
  if (!report)
    return report.takeError();
  measurement.sanitizer = std::move(*report);
  if (measurement.sanitizer->kind != SanitizerReport::Errors)
    return llvm::Error::success();
  llvm::Expected<SanitizerReport> before = evaluator_->sanitize(
      kernel, original_, original_, LaunchPlan::same(kernel.kernel->kernel.name), "original");
  if (!before)
    return before.takeError();
  const bool isItsOwn = before->kind == SanitizerReport::Clean;
  measurement.verdict = {isItsOwn ? Verdict::Kind::Declined : Verdict::Kind::Undecided, "sanitizer",
                         measurement.sanitizer->detail +
                             (isItsOwn ? "" : "; so does the original, or it did not run")};
  return llvm::Error::success();
}

} // namespace warpwright
