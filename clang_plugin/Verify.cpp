// `warpwright verify`: the net's first three steps, and those on a device if asked, on two files given by
// hand.

#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/VerifyOnDevice.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"
#include "rewriters/InterfaceChange.h"

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
    llvm::Expected<FileJob> job = makeJob(options_.operands[0], options_);
    if (!job)
      return report(options_.operands[0], job.takeError());
    for (const NvccTarget &target : analysisTargets(job->invocation))
      if (ExitCode code = verifyFor(target); code != ExitCode::Clean)
        return code;
    if (llvm::Error error = measure())
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

  /// Both files as one architecture sees them.
  struct Pair {
    std::string architecture;
    Opened original;
    Opened other;                ///< the candidate's file where it is another
    Opened *candidate = nullptr; ///< null: it does not parse
    std::string broken;          ///< and why
  };

  /// Clean, or why nothing more can be done.
  ExitCode verifyFor(const NvccTarget &target) {
    auto pair = std::make_unique<Pair>();
    pair->architecture = "sm_" + target.virtualArchitecture;
    if (llvm::Error error = open(options_.operands[0], target, pair->original))
      return report(options_.operands[0], std::move(error));
    if (llvm::Error error = openCandidate(target, *pair))
      return report(options_.operands[1], std::move(error));
    if (const Pair *same = findSame(*pair)) {
      for (Verification &verification : verifications_)
        if (llvm::is_contained(verification.architectures, same->architecture))
          verification.architectures.push_back(pair->architecture);
      return ExitCode::Clean;
    }
    std::vector<const KernelAnalysis *> kernels = chooseKernels(*pair);
    if (worst_ != ExitCode::Clean)
      return worst_;
    if (kernels.empty())
      return fail(ExitCode::BadUsage, "'" + options_.operands[0] + "' holds no kernel to verify");
    if (options_.device == "cuda" && pairs_.empty() && pair->candidate)
      if (llvm::Error error = openDevice(*pair)) {
        ExitCode code = error.isA<NoDevice>() ? ExitCode::Undecided : ExitCode::BadUsage;
        return fail(code, llvm::toString(std::move(error)));
      }
    next_ = 0;
    for (const KernelAnalysis *kernel : kernels)
      if (llvm::Error error = verify(*kernel, *pair))
        return fail(ExitCode::ToolFault, llvm::toString(std::move(error)));
    pairs_.push_back(std::move(pair));
    return ExitCode::Clean;
  }

  /// An architecture for which both files compiled to what they compile to for this one.
  const Pair *findSame(const Pair &pair) const {
    for (const std::unique_ptr<Pair> &known : pairs_)
      if (pair.candidate && known->candidate && pair.original.subject->hasCodeOf(*known->original.subject) &&
          pair.candidate->subject->hasCodeOf(*known->candidate->subject))
        return known.get();
    return nullptr;
  }

  /// Verdicts of an architecture come in the order in which those of the first came.
  void add(Verification verification, const Pair &pair) {
    verification.architectures = {pair.architecture};
    auto same = std::find_if(
        verifications_.begin() + static_cast<std::ptrdiff_t>(std::min(next_, verifications_.size())),
        verifications_.end(), [&](const Verification &known) {
          return known.kernel == verification.kernel && known.candidate == verification.candidate;
        });
    if (same == verifications_.end()) {
      verifications_.push_back(std::move(verification));
      next_ = verifications_.size();
      return;
    }
    next_ = static_cast<size_t>(same - verifications_.begin()) + 1;
    addArchitecture(*same, verification);
  }

  llvm::Error open(const std::string &name, const NvccTarget &target, Opened &opened) {
    llvm::Expected<FileJob> job = makeJob(name, options_);
    if (!job)
      return job.takeError();
    FileRequest &request = opened.request;
    request.file = job->file;
    request.invocation = job->invocation;
    request.target = target;
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
  llvm::Error openCandidate(const NvccTarget &target, Pair &pair) {
    if (llvm::sys::fs::equivalent(options_.operands[0], options_.operands[1])) {
      pair.candidate = &pair.original;
      return llvm::Error::success();
    }
    pair.candidate = &pair.other;
    return llvm::handleErrors(open(options_.operands[1], target, pair.other),
                              [&](const ParseFailure &failure) {
                                pair.candidate = nullptr;
                                pair.broken = failure.place.file + ":" + std::to_string(failure.place.line) +
                                              ": " + failure.message;
                              });
  }

  llvm::Error openDevice(const Pair &pair) {
    llvm::Expected<std::unique_ptr<DeviceVerifier>> device =
        DeviceVerifier::create(options_, {pair.original.file.get(), &pair.original.request},
                               {pair.candidate->file.get(), &pair.candidate->request});
    if (!device)
      return device.takeError();
    device_ = std::move(*device);
    return llvm::Error::success();
  }

  /// The kernels that plans are for, or that --kernel names, or the annotated ones, or all.
  std::vector<const KernelAnalysis *> chooseKernels(const Pair &pair) {
    std::vector<std::string> names = options_.kernels;
    if (names.empty())
      for (const LaunchPlan &plan : plans_)
        if (!llvm::is_contained(names, plan.kernel))
          names.push_back(plan.kernel);
    std::vector<const KernelAnalysis *> kernels;
    for (const std::string &name : names) {
      if (const KernelAnalysis *found = pair.original.subject->find(name))
        kernels.push_back(found);
      else
        fail(ExitCode::BadUsage, "'" + options_.operands[0] + "' holds no kernel '" + name + "'");
    }
    if (!names.empty())
      return kernels;
    for (const KernelAnalysis &kernel : pair.original.file->kernels)
      if (kernel.annotation)
        kernels.push_back(&kernel);
    if (kernels.empty())
      for (const KernelAnalysis &kernel : pair.original.file->kernels)
        kernels.push_back(&kernel);
    return kernels;
  }

  llvm::Error verify(const KernelAnalysis &kernel, const Pair &pair) {
    if (!pair.candidate)
      return decline(pair, kernel, "parse", "parse", pair.broken);
    std::vector<LaunchPlan> plans;
    for (const LaunchPlan &plan : plans_)
      if (plan.kernel == kernel.kernel.name)
        plans.push_back(plan);
    if (plans_.empty()) {
      const KernelAnalysis *candidate = findCounterpart(kernel.kernel.name, *pair.candidate->subject);
      if (!candidate)
        return decline(pair, kernel, "legality", "missing-kernel",
                       "'" + options_.operands[1] + "' does not hold it");
      if (std::optional<InterfaceChange> change = findChange(kernel, *candidate))
        return decline(pair, kernel, "legality", change->code, change->reason);
      plans.push_back(planOf(kernel, *candidate));
    }
    vdevice::VerifyOptions options;
    if (options_.stepLimit)
      options.stepLimit = options_.stepLimit;
    llvm::Expected<std::unique_ptr<vdevice::OriginalKernel>> original =
        vdevice::OriginalKernel::prepare(*pair.original.subject, kernel, options);
    if (!original)
      return original.takeError();
    for (const LaunchPlan &plan : plans) {
      llvm::Expected<Verification> verification =
          vdevice::verifyPlan(**original, *pair.candidate->subject, plan);
      if (!verification)
        return verification.takeError();
      add(std::move(*verification), pair);
      if (pairs_.empty() && device_)
        measured_.push_back({next_ - 1, &kernel, plan});
    }
    return llvm::Error::success();
  }

  /// Where the candidate's file holds a copy that is launched in the kernel's place, it is the copy.
  static const KernelAnalysis *findCounterpart(const std::string &kernel, const vdevice::Subject &candidate) {
    const KernelAnalysis *copy = candidate.find(cloneNameOf(kernel));
    return copy ? copy : candidate.find(kernel);
  }

  static std::optional<InterfaceChange> findChange(const KernelAnalysis &original,
                                                   const KernelAnalysis &candidate) {
    bool launchMayChange = original.annotation && original.annotation->allows(Permission::LaunchChange);
    return findInterfaceChange(original, candidate, launchMayChange);
  }

  llvm::Error decline(const Pair &pair, const KernelAnalysis &kernel, std::string stage, std::string code,
                      std::string reason) {
    Verification verification;
    verification.kernel = kernel.kernel.name;
    verification.candidate = kernel.kernel.name;
    verification.verdict = {Verdict::Kind::Declined, std::move(stage), std::move(reason)};
    verification.code = std::move(code);
    add(std::move(verification), pair);
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

  /// What the device is to run: the verdict, and what it is on.
  struct Measured {
    size_t verification;
    const KernelAnalysis *kernel;
    LaunchPlan plan;
  };

  /// What no architecture declines, on the device.
  llvm::Error measure() {
    for (const Measured &each : measured_) {
      Verification &verification = verifications_[each.verification];
      if (verification.verdict.kind == Verdict::Kind::Declined)
        continue;
      llvm::Expected<Measurement> measurement = device_->verify(*each.kernel, each.plan);
      if (!measurement)
        return measurement.takeError();
      addMeasurement(verification, std::move(*measurement));
    }
    return llvm::Error::success();
  }

  const Options &options_;
  std::vector<LaunchPlan> plans_;
  std::vector<Measured> measured_;
  std::unique_ptr<DeviceVerifier> device_;   ///< where one is asked for
  std::vector<std::unique_ptr<Pair>> pairs_; ///< one for each code that differs
  std::vector<Verification> verifications_;
  size_t next_ = 0; ///< where the next verdict of this architecture is to be found
};

} // namespace

ExitCode runVerify(const Options &options) {
  return VerifyVerb(options).run();
}

} // namespace warpwright
