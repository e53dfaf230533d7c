#include "clang_plugin/KernelTuning.h"

#include "analysis/StartNvcc.h"
#include "analysis/frontend/FrontEnd.h"
#include "feedback/evaluators/Signatures.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"

#include <llvm/ADT/STLExtras.h>

#include <chrono>

namespace warpwright {
namespace {

/// What was declined because facts do not prove it better may still be so by measurement; whatever else was
/// declined is wrong, or more than is allowed.
bool mayBeMeasured(const CandidateRecord &record) {
  return record.verdicts.empty() || record.verdicts.back().kind != Verdict::Kind::Declined ||
         record.verdicts.back().stage == "dominance";
}

/// The words of an error that speaks of the candidate; others pass on.
llvm::Expected<std::string> aboutTheCandidate(llvm::Error error) {
  std::string reason;
  error = llvm::handleErrors(
      std::move(error), [&](const NotMeasurable &why) { reason = why.reason; },
      [&](const ParseFailure &failure) {
        reason = "line " + std::to_string(failure.place.line) + ": " + failure.message;
      });
  if (error)
    return std::move(error);
  return reason;
}

/// The request's command, with a line table in what it makes; the machine code is the same.
FileRequest withLines(FileRequest request) {
  std::vector<std::string> &arguments = request.invocation.deviceArguments;
  auto hasLines = [](llvm::StringRef word) {
    return word == "-lineinfo" || word == "--generate-line-info" || word == "-G" || word == "--device-debug";
  };
  if (llvm::none_of(arguments, hasLines))
    arguments.push_back("-lineinfo");
  return request;
}

} // namespace

llvm::Expected<std::unique_ptr<KernelTuning>> KernelTuning::create(const Setting &setting) {
  std::unique_ptr<KernelTuning> tuning(new KernelTuning(setting));
  const KernelAnalysis &analysis = *setting.versions.of(setting.record.key)[setting.version];
  llvm::Expected<MeasuredKernel> measured = prepareKernel(analysis, signaturesOf(analysis).front());
  if (!measured)
    return measured.takeError();
  tuning->measured_ = std::move(*measured);
  std::vector<size_t> candidates;
  for (size_t i = 0; i < setting.record.candidates.size(); ++i)
    if (mayBeMeasured(setting.record.candidates[i]))
      candidates.push_back(i);
  tuning->kernel_ = tunedKernel(setting.record, candidates, setting.versions.text());
  tuning->readScalars();
  return tuning;
}

/// What a guard may speak of: integers of the shapes that some launch passes in a way that can be asked for.
void KernelTuning::readScalars() {
  DispatchMeans &means = kernel_.measured.dispatch;
  means.measured = setting_.answersAtOnce;
  auto isPassed = [&](const std::string &name) {
    const std::vector<DispatchedLaunch> &launches = setting_.record.dispatch.launches;
    // Where nobody asked, the report says what would be.
    return launches.empty() || llvm::any_of(launches, [&](const DispatchedLaunch &launch) {
             return launch.whyWhole.empty() && launch.integers.contains(name);
           });
  };
  for (const MeasuredShape &shape : measured_.shapes)
    for (const auto &[name, value] : shape.shape.values)
      if (std::holds_alternative<int64_t>(value) && isPassed(name))
        means.scalars[shape.label][name] = std::get<int64_t>(value);
}

/// The candidates of the set, each with the edits that are in it; under a guard one that is all of them.
llvm::Expected<std::vector<Candidate>> KernelTuning::candidatesOf(const GuardedSet &set) const {
  std::map<size_t, std::vector<size_t>> edits;
  for (unsigned unit : set.set)
    llvm::append_range(edits[kernel_.units[unit].candidate], kernel_.units[unit].edits);
  std::vector<Candidate> candidates;
  std::vector<KeptEdits> all;
  for (const auto &[index, positions] : edits) {
    all.push_back({index, positions});
    Candidate candidate = setting_.record.candidates[index].candidate;
    std::vector<Edit> kept;
    for (size_t position : positions)
      kept.push_back(candidate.edits[position]);
    candidate.edits = std::move(kept);
    candidates.push_back(std::move(candidate));
  }
  if (set.guard.empty())
    return candidates;
  llvm::Expected<Candidate> guarded = guardedCandidate(setting_.record, all, set.guard, set.copy);
  if (!guarded)
    return llvm::make_error<NotMeasurable>(llvm::toString(guarded.takeError()));
  return std::vector{std::move(*guarded)};
}

llvm::Expected<KernelTuning::Prepared> KernelTuning::open(const GuardedSet &set) const {
  llvm::Expected<std::vector<Candidate>> candidates = candidatesOf(set);
  if (!candidates)
    return candidates.takeError();
  llvm::Expected<EditedKernel> edited =
      openEdited(setting_.versions, setting_.version, setting_.record, *candidates);
  if (!edited)
    return edited.takeError();
  Prepared prepared = {std::move(*edited), std::nullopt, std::nullopt};
  FileRequest request = prepared.edited.request;
  request.onlyKernel.clear();
  llvm::Expected<DeviceCompile> compile = setting_.evaluator.compile(std::move(request));
  if (!compile)
    return compile.takeError();
  prepared.compile.emplace(std::move(*compile));
  return prepared;
}

void KernelTuning::prepare(const GuardedSet &set) {
  bool isKnown = set.guard.empty() ? kernel_.measured.measured.contains(set.set)
                                   : kernel_.measured.dispatch.asAWhole.contains(set);
  if (prepared_.contains(set) || isKnown)
    return;
  llvm::Expected<Prepared> prepared = open(set);
  if (prepared)
    prepared_.emplace(set, std::move(*prepared));
  else
    llvm::consumeError(prepared.takeError()); // measure() meets the same, and says it
}

llvm::Error KernelTuning::openOriginal() {
  if (original_)
    return llvm::Error::success();
  llvm::Expected<EditedKernel> before = openEdited(setting_.versions, setting_.version, setting_.record, {});
  if (!before)
    return before.takeError();
  before_.emplace(std::move(*before));
  llvm::Expected<std::unique_ptr<vdevice::Subject>> subject =
      vdevice::Subject::create(before_->file, before_->request);
  if (!subject)
    return subject.takeError();
  subject_ = std::move(*subject);
  llvm::Expected<std::unique_ptr<vdevice::OriginalKernel>> original =
      vdevice::OriginalKernel::prepare(*subject_, before_->file.kernels.front(), vdevice::VerifyOptions());
  if (!original)
    return original.takeError();
  original_ = std::move(*original);
  return llvm::Error::success();
}

Measurement KernelTuning::decided(const GuardedSet &set, Verdict verdict) const {
  Measurement measurement =
      setting_.evaluator.undecided(*measured_.kernel, kernel_.nameOf(set), std::move(verdict.reason));
  measurement.verdict.kind = verdict.kind;
  measurement.verdict.stage = std::move(verdict.stage);
  return measurement;
}

/// A measurement where the virtual device has declined the set; what it can say nothing of, a device may.
llvm::Expected<std::optional<Measurement>> KernelTuning::verify(const GuardedSet &set, Prepared &prepared) {
  if (llvm::Error error = openOriginal())
    return std::move(error);
  llvm::Expected<std::unique_ptr<vdevice::Subject>> subject =
      vdevice::Subject::create(prepared.edited.file, prepared.edited.request);
  if (!subject)
    return subject.takeError();
  if (prepared.edited.plan.guard)
    if (llvm::Error error = original_->addGuardEdges(*prepared.edited.plan.guard))
      return std::move(error);
  llvm::Expected<Verification> verification =
      vdevice::verifyPlan(*original_, **subject, prepared.edited.plan);
  if (!verification)
    return verification.takeError();
  if (verification->verdict.kind != Verdict::Kind::Declined)
    return std::nullopt;
  Verdict verdict = verification->verdict;
  verdict.reason += " [" + verification->code + "]";
  return std::optional(decided(set, std::move(verdict)));
}

/// What facts declined was not asked for its registers before.
std::optional<Verdict> KernelTuning::overLimit(const MeasuredCode &code, const KernelAnalysis &kernel) const {
  unsigned limit = kernel.annotation && kernel.annotation->maxRegisters
                       ? kernel.annotation->maxRegisters->count
                       : setting_.maxRegisters;
  const KernelResources *compiled = findCompiled(code.report, kernel.kernel.symbol, code.architecture);
  if (limit == 0 || !compiled || compiled->registers <= limit)
    return std::nullopt;
  return Verdict{Verdict::Kind::Declined, "ptxas",
                 std::to_string(compiled->registers) + " registers a thread, " + std::to_string(limit) +
                     " are allowed"};
}

/// Sees that the set is prepared; a measurement where it cannot be.
llvm::Expected<std::optional<Measurement>> KernelTuning::prepared(const GuardedSet &set) {
  if (prepared_.contains(set))
    return std::nullopt;
  llvm::Expected<Prepared> opened = open(set);
  if (opened) {
    prepared_.emplace(set, std::move(*opened));
    return std::nullopt;
  }
  llvm::Expected<std::string> reason = aboutTheCandidate(opened.takeError());
  if (!reason)
    return reason.takeError();
  return std::optional(decided(set, {Verdict::Kind::Declined, "parse", *reason}));
}

/// Waits for nvcc; a measurement where it refused the code, or where the code is more than is allowed.
llvm::Expected<std::optional<Measurement>> KernelTuning::finish(const GuardedSet &set, Prepared &prepared) {
  if (!prepared.code) {
    const auto start = std::chrono::steady_clock::now();
    llvm::Expected<MeasuredCode> code = prepared.compile->finish(prepared.edited.file);
    waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!code) {
      llvm::Expected<std::string> reason = aboutTheCandidate(code.takeError());
      if (!reason)
        return reason.takeError();
      return std::optional(decided(set, {Verdict::Kind::Declined, "nvcc", *reason}));
    }
    prepared.code = std::move(*code);
  }
  if (std::optional<Verdict> verdict = overLimit(*prepared.code, prepared.edited.file.kernels.front()))
    return std::optional(decided(set, std::move(*verdict)));
  return std::nullopt;
}

llvm::Expected<std::optional<Measurement>> KernelTuning::run(const GuardedSet &set, const Prepared &prepared,
                                                             bool firstLook) {
  MeasureRequest request;
  request.name = kernel_.nameOf(set);
  request.firstLook = firstLook;
  return setting_.evaluator.measure(measured_, setting_.original, *prepared.code, prepared.edited.plan,
                                    request);
}

llvm::Expected<std::optional<Measurement>> KernelTuning::look(const GuardedSet &set) {
  llvm::Expected<std::optional<Measurement>> declined = prepared(set);
  if (!declined || *declined)
    return declined;
  Prepared &opened = prepared_.at(set);
  declined = finish(set, opened);
  if (!declined || *declined)
    return declined;
  return run(set, opened, /*firstLook=*/true);
}

llvm::Expected<std::optional<Measurement>> KernelTuning::lookAtOriginal() {
  MeasureRequest request;
  request.name = "original";
  request.firstLook = true;
  return setting_.evaluator.measure(measured_, setting_.original, setting_.original,
                                    LaunchPlan::same(setting_.record.name), request);
}

llvm::Expected<std::optional<Measurement>> KernelTuning::measure(const GuardedSet &set) {
  llvm::Expected<std::optional<Measurement>> declined = prepared(set);
  if (!declined || *declined)
    return declined;
  // Whatever comes of it, it is not asked for again.
  Prepared opened = std::move(prepared_.extract(set).mapped());
  declined = verify(set, opened);
  if (!declined || *declined)
    return declined;
  declined = finish(set, opened);
  if (!declined || *declined)
    return declined;
  return run(set, opened, /*firstLook=*/false);
}

llvm::Expected<std::optional<std::vector<Profile>>>
KernelTuning::profileCode(const FileRequest &request, const FileAnalysis &file, const LaunchPlan &plan,
                          const ProfileOrder &order) const {
  llvm::Expected<DeviceCompile> compile = setting_.evaluator.compile(withLines(request));
  if (!compile)
    return compile.takeError();
  llvm::Expected<MeasuredCode> code = compile->finish(file);
  if (!code)
    return code.takeError();
  return setting_.evaluator.profile(measured_, setting_.original, *code, plan, order);
}

llvm::Expected<std::optional<std::vector<Profile>>> KernelTuning::profile(const GuardedSet &set,
                                                                          llvm::ArrayRef<size_t> shapes) {
  ProfileOrder order;
  order.name = set.set.empty() ? "original" : kernel_.nameOf(set);
  order.shapes = shapes.vec();
  if (set.set.empty())
    return profileCode(setting_.versions.requests[setting_.version],
                       setting_.versions.files[setting_.version], LaunchPlan::same(setting_.record.name),
                       order);
  llvm::Expected<std::vector<Candidate>> candidates = candidatesOf(set);
  if (!candidates)
    return candidates.takeError();
  llvm::Expected<EditedKernel> edited =
      openEdited(setting_.versions, setting_.version, setting_.record, *candidates);
  if (!edited)
    return edited.takeError();
  FileRequest request = edited->request;
  request.onlyKernel.clear();
  return profileCode(request, edited->file, edited->plan, order);
}

} // namespace warpwright
