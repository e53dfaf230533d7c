// `warpwright verify`: the net's first three steps, and those on a device if asked, on two files given by
// hand.

#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/VerifyOnDevice.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"

#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

class VerifyVerb : private ExitTally {
public:
  explicit VerifyVerb(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.size() != 2)
      return fail(ExitCode::BadUsage, "verify needs two files, the original and the candidate");
    if (!llvm::is_contained({"", "cuda", "virtual"}, options_.device))
      return fail(ExitCode::BadUsage,
                  "there is no device '" + options_.device + "'; there are virtual and cuda");
    if (llvm::Error error = readPlans())
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    if (llvm::Error error = open(options_.operands[0], original_))
      return report(options_.operands[0], std::move(error));
    std::optional<std::string> broken;
    if (llvm::Error error = openCandidate(broken))
      return report(options_.operands[1], std::move(error));
    std::vector<const KernelAnalysis *> kernels = chooseKernels();
    if (worst_ != ExitCode::Clean)
      return worst_;
    if (kernels.empty())
      return fail(ExitCode::BadUsage, "'" + options_.operands[0] + "' holds no kernel to verify");
    if (options_.device == "cuda" && !broken)
      if (llvm::Error error = openDevice()) {
        ExitCode code = error.isA<NoDevice>() ? ExitCode::Undecided : ExitCode::BadUsage;
        return fail(code, llvm::toString(std::move(error)));
      }
    for (const KernelAnalysis *kernel : kernels)
      if (llvm::Error error = verify(*kernel, broken))
        return fail(ExitCode::ToolFault, llvm::toString(std::move(error)));
    if (llvm::Error error = writeOutput(options_, text()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return judge();
  }

private:
  /// A file of the comparison, parsed and made ready.
  struct Opened {
    FileRequest request;
    std::unique_ptr<FileAnalysis> file;
    std::unique_ptr<vdevice::Subject> subject;
  };

  llvm::Error readPlans() {
    if (options_.plans.empty())
      return llvm::Error::success();
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(options_.plans);
    if (!buffer)
      return llvm::createStringError("cannot read '" + options_.plans + "': " + buffer.getError().message());
    Json document = Json::parse((*buffer)->getBuffer().begin(), (*buffer)->getBuffer().end(), nullptr, false);
    if (document.is_discarded())
      return llvm::createStringError("'" + options_.plans + "' is not JSON");
    llvm::Expected<std::vector<LaunchPlan>> plans = parseLaunchPlans(document);
    if (!plans)
      return plans.takeError();
    plans_ = std::move(*plans);
    return llvm::Error::success();
  }

  llvm::Error open(const std::string &name, Opened &opened) {
    llvm::Expected<FileJob> job = makeJob(name, options_);
    if (!job)
      return job.takeError();
    FileRequest &request = opened.request;
    request.file = job->file;
    request.invocation = job->invocation;
    request.target = analysisTargets(job->invocation).front();
    request.toolkit = job->toolkit;
    request.cacheDirectory = job->cacheDirectory;
    request.wantResources = false;
    llvm::Expected<FileAnalysis> file = openFile(request);
    if (!file)
      return file.takeError();
    opened.file = std::make_unique<FileAnalysis>(std::move(*file));
    clang::DiagnosticOptions diagnosticOptions;
    clang::TextDiagnosticPrinter printer(llvm::errs(), diagnosticOptions);
    readDeclarations(*opened.file, request, &printer);
    llvm::Expected<std::unique_ptr<vdevice::Subject>> subject =
        vdevice::Subject::create(*opened.file, request);
    if (!subject)
      return subject.takeError();
    opened.subject = std::move(*subject);
    return llvm::Error::success();
  }

  /// The candidates of a plan often stand in the original's own file; it is parsed once then.
  llvm::Error openCandidate(std::optional<std::string> &broken) {
    if (llvm::sys::fs::equivalent(options_.operands[0], options_.operands[1])) {
      candidate_ = &original_;
      return llvm::Error::success();
    }
    candidate_ = &other_;
    return llvm::handleErrors(open(options_.operands[1], other_), [&](const ParseFailure &failure) {
      broken = failure.place.file + ":" + std::to_string(failure.place.line) + ": " + failure.message;
    });
  }

  llvm::Error openDevice() {
    llvm::Expected<std::unique_ptr<DeviceVerifier>> device = DeviceVerifier::create(
        options_, {original_.file.get(), &original_.request}, {candidate_->file.get(), &candidate_->request});
    if (!device)
      return device.takeError();
    device_ = std::move(*device);
    return llvm::Error::success();
  }

  /// The kernels that plans are for, or that --kernel names, or the annotated ones, or all.
  std::vector<const KernelAnalysis *> chooseKernels() {
    std::vector<std::string> names = options_.kernels;
    if (names.empty())
      for (const LaunchPlan &plan : plans_)
        if (!llvm::is_contained(names, plan.kernel))
          names.push_back(plan.kernel);
    std::vector<const KernelAnalysis *> kernels;
    for (const std::string &name : names) {
      if (const KernelAnalysis *found = original_.subject->find(name))
        kernels.push_back(found);
      else
        fail(ExitCode::BadUsage, "'" + options_.operands[0] + "' holds no kernel '" + name + "'");
    }
    if (!names.empty())
      return kernels;
    for (const KernelAnalysis &kernel : original_.file->kernels)
      if (kernel.annotation)
        kernels.push_back(&kernel);
    if (kernels.empty())
      for (const KernelAnalysis &kernel : original_.file->kernels)
        kernels.push_back(&kernel);
    return kernels;
  }

  llvm::Error verify(const KernelAnalysis &kernel, const std::optional<std::string> &broken) {
    if (broken)
      return decline(kernel, "parse", "parse", *broken);
    std::vector<LaunchPlan> plans;
    for (const LaunchPlan &plan : plans_)
      if (plan.kernel == kernel.kernel.name)
        plans.push_back(plan);
    if (plans_.empty()) {
      const KernelAnalysis *candidate = candidate_->subject->find(kernel.kernel.name);
      if (!candidate)
        return decline(kernel, "legality", "missing-kernel",
                       "'" + options_.operands[1] + "' does not hold it");
      if (std::optional<vdevice::InterfaceChange> change = vdevice::findInterfaceChange(kernel, *candidate))
        return decline(kernel, "legality", change->code, change->reason);
      plans.push_back(vdevice::planOf(kernel, *candidate));
    }
    llvm::Expected<std::unique_ptr<vdevice::OriginalKernel>> original =
        vdevice::OriginalKernel::prepare(*original_.subject, kernel, vdevice::VerifyOptions());
    if (!original)
      return original.takeError();
    for (const LaunchPlan &plan : plans) {
      llvm::Expected<Verification> verification = vdevice::verifyPlan(**original, *candidate_->subject, plan);
      if (!verification)
        return verification.takeError();
      if (device_ && verification->verdict.kind != Verdict::Kind::Declined) {
        llvm::Expected<Measurement> measurement = device_->verify(kernel, plan);
        if (!measurement)
          return measurement.takeError();
        addMeasurement(*verification, std::move(*measurement));
      }
      verifications_.push_back(std::move(*verification));
    }
    return llvm::Error::success();
  }

  llvm::Error decline(const KernelAnalysis &kernel, std::string stage, std::string code, std::string reason) {
    Verification verification;
    verification.kernel = kernel.kernel.name;
    verification.candidate = kernel.kernel.name;
    verification.verdict = {Verdict::Kind::Declined, std::move(stage), std::move(reason)};
    verification.code = std::move(code);
    verifications_.push_back(std::move(verification));
    return llvm::Error::success();
  }

  std::string text() const {
    if (options_.format == "json")
      return toJson(verifications_).dump(2) + "\n";
    std::string text;
    for (const Verification &verification : verifications_)
      text += toText(verification);
    return text;
  }

  /// One that differs outweighs any that could not be decided.
  ExitCode judge() const {
    auto holds = [&](Verdict::Kind kind) {
      return llvm::any_of(verifications_, [&](const Verification &one) { return one.verdict.kind == kind; });
    };
    if (holds(Verdict::Kind::Declined))
      return ExitCode::Findings;
    return holds(Verdict::Kind::Undecided) ? ExitCode::Undecided : ExitCode::Clean;
  }

  /// An original that does not parse could not be checked; everything else is bad input.
  ExitCode report(const std::string &name, llvm::Error error) {
    if (!error.isA<ParseFailure>())
      return fail(ExitCode::BadUsage, name + ": " + llvm::toString(std::move(error)));
    llvm::errs() << llvm::toString(std::move(error)) << '\n';
    return ExitCode::Undecided;
  }

  const Options &options_;
  std::vector<LaunchPlan> plans_;
  Opened original_;
  Opened other_; ///< the candidate's file where it is another
  Opened *candidate_ = nullptr;
  std::unique_ptr<DeviceVerifier> device_; ///< where one is asked for
  std::vector<Verification> verifications_;
};

} // namespace

ExitCode runVerify(const Options &options) {
  return VerifyVerb(options).run();
}

} // namespace warpwright
