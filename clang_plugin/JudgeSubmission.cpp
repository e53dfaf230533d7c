#include "clang_plugin/JudgeSubmission.h"

#include "analysis/FileResources.h"
#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/EditedKernel.h"
#include "clang_plugin/JudgeCandidates.h"
#include "clang_plugin/JudgedPoint.h"
#include "clang_plugin/KernelRecords.h"
#include "clang_plugin/ProposeCandidates.h"
#include "clang_plugin/SubmittedCandidates.h"
#include "clang_plugin/VerifyChosen.h"
#include "clang_plugin/VerifyOnDevice.h"
#include "feedback/agents/Admission.h"
#include "feedback/agents/ClaimReport.h"
#include "feedback/agents/Messages.h"
#include "feedback/agents/TokenEdits.h"
#include "feedback/agents/UnifiedDiff.h"
#include "rewriters/edits/ApplyEdits.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using agents::ProgramIdentity;

/// By the model: what costs more is not run. Beyond it even a model that is off by as much is right.
constexpr double mostCost = 2.5;

class SubmissionJudge {
public:
  SubmissionJudge(const JudgeSetting &setting, const agents::Submission &submission)
      : setting_(setting), submission_(submission), policy_(setting.policy),
        screener_(versions_, setting.job.policy.maxRegisters) {}

  llvm::Expected<Json> judge() {
    if (std::string missing = agents::missingReasons(submission_); !missing.empty())
      return unrun("reasons", missing,
                   "say for each change which finding it answers, what, why, "
                   "expected_gain, risk and check, and submit again");
    std::string broken;
    llvm::Error error = llvm::handleErrors(open(), [&](const ParseFailure &failure) {
      broken = "line " + std::to_string(failure.place.line) + ": " + failure.message;
    });
    if (error)
      return std::move(error);
    if (!broken.empty())
      return unrun("original", "the original does not parse: " + broken, "mend the original first");
    if (std::string why = chooseKernel(); !why.empty())
      return unrun("kernel", why, "name a kernel that may change");
    if (std::string why = checkFindings(); !why.empty())
      return unrun("reasons", why, "name findings that the kernel has, or \"none\"");
    llvm::Expected<std::vector<SubmittedCandidate>> candidates =
        makeCandidates(submission_, versions_, setting_.job.policy, *record_);
    if (!candidates)
      return candidates.takeError();
    original_ = agents::identityOf(original());
    for (const SubmittedCandidate &candidate : *candidates)
      if (llvm::Error failure = judgePoint(candidate))
        return std::move(failure);
    return recordJson();
  }

private:
  const KernelAnalysis &original() const { return *versions_.of(record_->key).front(); }

  Json unrun(const std::string &stage, const std::string &reason, const std::string &next) const {
    Json record = unrunRecord(setting_.job.file, submission_, "declined", stage, reason, next);
    if (record_)
      record["kernel"] = record_->name;
    return record;
  }

  /// Without nvcc, which many a submission never comes to: startOriginal() lets it work.
  llvm::Error open() {
    for (const NvccTarget &target : analysisTargets(setting_.job.invocation)) {
      FileRequest request;
      request.file = setting_.job.file;
      request.invocation = setting_.job.invocation;
      request.target = target;
      request.toolkit = setting_.job.toolkit;
      request.cacheDirectory = setting_.job.cacheDirectory;
      request.wantResources = false;
      llvm::Expected<FileAnalysis> file = openFile(request);
      if (!file)
        return file.takeError();
      if (llvm::Error error = collectCounts(*file, request, nullptr))
        return error;
      for (KernelAnalysis &kernel : file->kernels)
        kernel.findings = findAll(kernel);
      request.wantResources = true;
      versions_.requests.push_back(std::move(request));
      versions_.files.push_back(std::move(*file));
    }
    records_ = recordKernels(versions_);
    return llvm::Error::success();
  }

  /// nvcc works on the original beside the first candidate that comes so far; findings about its figures join
  /// those that are known.
  void startOriginal() {
    if (originalStarted_)
      return;
    originalStarted_ = true;
    for (size_t i = 0; i < versions_.files.size(); ++i)
      startResources(versions_.files[i], versions_.requests[i]);
  }
  void finishOriginal() {
    if (originalFinished_)
      return;
    originalFinished_ = true;
    for (size_t i = 0; i < versions_.files.size(); ++i)
      collectResources(versions_.files[i], versions_.requests[i]);
    record_->before.clear();
    for (const KernelAnalysis *version : versions_.of(record_->key))
      record_->before.push_back(predict(*version));
  }

  /// Empty where there is one that may change.
  std::string chooseKernel() {
    std::string names;
    for (KernelRecord &record : records_) {
      if (!record.annotated)
        continue;
      names += (names.empty() ? "" : ", ") + record.name;
      if (record.name == submission_.kernel)
        record_ = &record;
    }
    auto annotated = llvm::make_filter_range(records_, [](const KernelRecord &one) { return one.annotated; });
    if (submission_.kernel.empty() && llvm::range_size(annotated) == 1)
      record_ = &*annotated.begin();
    if (!record_)
      return (submission_.kernel.empty() ? std::string("the submission names no kernel")
                                         : "there is no annotated kernel '" + submission_.kernel + "'") +
             (names.empty() ? "; the file annotates none" : "; there are " + names);
    std::string why = whyUntouchable(versions_, *record_);
    return why.empty() ? why : "'" + record_->name + "' may not change: " + why;
  }

  std::string checkFindings() {
    // Some findings are nvcc's figures.
    auto isUnknown = [&](const agents::SubmittedReason &reason) {
      return reason.finding != "none" &&
             llvm::none_of(record_->findings, [&](const Finding &one) { return one.id == reason.finding; });
    };
    if (llvm::any_of(submission_.reasons, isUnknown)) {
      startOriginal();
      finishOriginal();
      KernelAnalysis &kernel =
          *llvm::find_if(versions_.files.front().kernels,
                         [&](const KernelAnalysis &one) { return one.kernel.key == record_->key; });
      record_->findings = findAll(kernel);
    }
    std::string known;
    for (const Finding &finding : record_->findings)
      if (!llvm::StringRef(known).contains(finding.id))
        known += (known.empty() ? "" : ", ") + finding.id;
    for (size_t i = 0; i < submission_.reasons.size(); ++i) {
      const std::string &wanted = submission_.reasons[i].finding;
      if (wanted != "none" &&
          llvm::none_of(record_->findings, [&](const Finding &one) { return one.id == wanted; }))
        return "reason " + std::to_string(i + 1) + " answers '" + wanted +
               "', which the kernel does not have; it has " + (known.empty() ? "none" : known);
    }
    return {};
  }

  /// What decides whether an old verdict still holds.
  std::string conditions() const {
    std::string text;
    for (const FileAnalysis &file : versions_.files)
      text += file.unit->architecture().str() + " ";
    return text + (setting_.options.device == "cuda" ? "measured" : "by facts");
  }

  std::string claimsChecksum() const {
    return agents::checksumOf(agents::dump(agents::toJson(submission_)["reasons"]));
  }

  llvm::Error judgePoint(const SubmittedCandidate &submitted) {
    JudgedPoint &point = points_.emplace_back();
    point.name = submitted.name;
    if (!submitted.changedText.empty())
      point.text = agents::tokenChecksum(submitted.changedText, language());
    if (!submitted.broken.empty()) {
      point.failed("declined", "change", "syntax", submitted.broken);
      return llvm::Error::success();
    }
    llvm::Expected<bool> goesOn = steps(submitted, point);
    return goesOn ? llvm::Error::success() : goesOn.takeError();
  }

  const clang::LangOptions &language() { return versions_.files.front().unit->ast().getLangOpts(); }

  /// The net, a step a line; each answers whether the next is reached.
  llvm::Expected<bool> steps(const SubmittedCandidate &submitted, JudgedPoint &point) {
    if (isRepeated(point))
      return false;
    llvm::Expected<bool> goesOn = admit(submitted, point);
    if (!goesOn || !*goesOn)
      return goesOn;
    goesOn = screen(submitted.candidate, point);
    if (!goesOn || !*goesOn)
      return goesOn;
    goesOn = verify(submitted.candidate, point);
    if (!goesOn || !*goesOn)
      return goesOn;
    if (setting_.options.device == "cuda")
      return measure(submitted.candidate, point);
    judgeByFacts(point);
    return true;
  }

  bool isRepeated(JudgedPoint &point) const {
    agents::RecallKey key{record_->name,    original_.source, conditions(),
                          claimsChecksum(), point.text,       point.program};
    std::optional<agents::Recalled> recalled = setting_.ledger.recall(key);
    if (!recalled)
      return false;
    point.repeats = recalled->id;
    std::string how = recalled->by == "text"     ? "the same text"
                      : recalled->by == "source" ? "the same tokens"
                                                 : "another text for the same device code";
    std::string why = recalled->reason.empty() ? "" : ": " + recalled->reason;
    point.failed("refused", "repeat", "repeat",
                 "tried before in submission " + recalled->id + " (" + how + "), " + recalled->verdict +
                     " at " + recalled->stage + why);
    return true;
  }

  /// The changed file as it is written, on the first architecture.
  llvm::Expected<bool> admit(const SubmittedCandidate &submitted, JudgedPoint &point) {
    if (submitted.changedText.empty())
      return true;
    FileRequest request = versions_.requests.front();
    request.text = submitted.changedText;
    request.onlyKernel = record_->name;
    request.wantResources = false;
    bool goesOn = true;
    std::optional<FileAnalysis> file;
    llvm::Expected<FileAnalysis> opened = openFile(request);
    if (opened)
      file.emplace(std::move(*opened));
    llvm::Error error = llvm::handleErrors(opened.takeError(), [&](const ParseFailure &failure) {
      goesOn = point.failed("declined", "parse", "syntax", failure.message);
      point.details = agents::syntaxLines(submitted.changedText, failure.place.line, failure.place.column,
                                          failure.message);
    });
    if (error)
      return std::move(error);
    if (!goesOn)
      return false;
    if (file->kernels.size() != 1)
      return point.failed("declined", "legality", "interface",
                          "the kernel's name, template arguments or signature changed");
    std::optional<agents::Refusal> refusal =
        agents::findRefusal({&versions_.files.front().unit->ast(), original().kernel.declaration},
                            {&file->unit->ast(), file->kernels.front().kernel.declaration}, policy_,
                            submission_.launch.has_value());
    if (!refusal)
      return true;
    point.code = refusal->code;
    std::string where = refusal->line == 0 ? "" : "line " + std::to_string(refusal->line) + ": ";
    return point.failed("declined", "admission", "admission", where + refusal->reason);
  }

  /// Front end, facts and ptxas of what will be built, then claims.
  llvm::Expected<bool> screen(const Candidate &candidate, JudgedPoint &point) {
    if (llvm::Expected<std::vector<Edit>> edits = fileEdits(versions_.text(), {&candidate}))
      point.patch = agents::writeDiff(versions_.text(), *edits, setting_.job.file);
    else
      return point.failed("declined", "edits", "syntax", llvm::toString(edits.takeError()));
    Screening screening = screener_.edit(*record_, {&candidate});
    llvm::Expected<Verdict> counted = screening.count();
    if (!counted)
      return counted.takeError();
    if (counted->kind != Verdict::Kind::Accepted)
      return point.failed(toString(counted->kind), counted->stage, categoryOf(counted->stage),
                          counted->reason);
    const KernelAnalysis &result = screening.files().front().kernels.front();
    point.program = agents::identityOf(result);
    if (isRepeated(point))
      return false;
    if (point.program.code == original_.code)
      return point.failed("declined", "facts", "no change", "its device code is the original's");
    startOriginal();
    screening.startResources();
    Verdict finished = screening.finish();
    finishOriginal();
    point.before = record_->before;
    for (const FileAnalysis &file : screening.files())
      point.after.push_back(predict(file.kernels.front()));
    if (finished.kind != Verdict::Kind::Accepted)
      return failResources(finished, result, point);
    point.claims = agents::checkSubmittedClaims(submission_.reasons, original(), result);
    if (const agents::CheckedClaim *refuted = agents::firstRefuted(point.claims))
      return point.failed("declined", "claims", "claims",
                          "a claim is not borne out: " + toString(refuted->claim) + "; " +
                              refuted->verdict.reason);
    return judgeCost(point);
  }

  static std::string categoryOf(const std::string &stage) {
    return stage == "parse" ? "syntax" : stage == "legality" ? "interface" : stage;
  }

  bool failResources(const Verdict &verdict, const KernelAnalysis &result, JudgedPoint &point) const {
    // The original was compiled by the same command: it is the change that nvcc does not take.
    const bool isNvccs = verdict.kind == Verdict::Kind::Undecided && original().resources;
    const unsigned limit = original().annotation && original().annotation->maxRegisters
                               ? original().annotation->maxRegisters->count
                               : setting_.job.policy.maxRegisters;
    if (result.resources && limit != 0 && result.resources->registers > limit)
      point.details.push_back(agents::overBudget("registers a thread", result.resources->registers, limit));
    if (result.occupancy && result.occupancy->residentBlocks == 0)
      point.details.push_back(llvm::formatv("a block takes {0} bytes of shared memory and {1} registers",
                                            result.occupancy->sharedBytesAllocated,
                                            uint64_t(result.occupancy->registersPerThread) * 32 *
                                                result.occupancy->warpsPerBlock));
    if (isNvccs)
      point.details = agents::linesThatMatter(verdict.reason);
    return point.failed(isNvccs ? "declined" : toString(verdict.kind), isNvccs ? "nvcc" : verdict.stage,
                        isNvccs ? "syntax" : "resources",
                        isNvccs ? "nvcc does not compile it: " + verdict.reason : verdict.reason);
  }

  bool judgeCost(JudgedPoint &point) const {
    const bool isCounted =
        llvm::none_of(point.after, [](const Prediction &one) { return one.shapes.empty(); }) &&
        llvm::none_of(point.before, [](const Prediction &one) { return one.shapes.empty(); });
    if (!isCounted || point.after.size() != point.before.size())
      return true;
    point.cost = relativeCost(point.before, point.after);
    if (point.cost <= mostCost)
      return true;
    return point.failed("declined", "pre-screen", "not better",
                        llvm::formatv("by the model it costs {0:F1} times what the original does; what costs "
                                      "more than {1:F1} times is not run",
                                      point.cost, mostCost));
  }

  llvm::Expected<bool> verify(const Candidate &candidate, JudgedPoint &point) {
    llvm::Expected<Verification> verification = verifyCandidates(versions_, *record_, {&candidate});
    if (!verification)
      return verification.takeError();
    point.verification = std::move(*verification);
    const Verification &result = *point.verification;
    if (result.verdict.kind == Verdict::Kind::Accepted)
      return true;
    point.code = result.code;
    point.details = agents::semanticLines(result);
    return point.failed(toString(result.verdict.kind), "virtual device", "semantics", result.verdict.reason);
  }

  llvm::Expected<bool> measure(const Candidate &candidate, JudgedPoint &point) {
    llvm::Expected<EditedKernel> edited = openEdited(versions_, 0, *record_, {candidate});
    if (!edited)
      return edited.takeError();
    llvm::Expected<std::unique_ptr<DeviceVerifier>> device =
        DeviceVerifier::create(setting_.options, {&versions_.files.front(), &versions_.requests.front()},
                               {&edited->file, &edited->request});
    if (!device)
      return device.takeError();
    llvm::Expected<Measurement> measurement = (*device)->verify(original(), edited->plan);
    if (!measurement)
      return measurement.takeError();
    const Measurement measured = *measurement;
    addMeasurement(*point.verification, std::move(*measurement));
    if (measured.verdict.kind != Verdict::Kind::Accepted) {
      point.code = measured.fault;
      point.details = agents::linesThatMatter(toText(measured));
      return point.failed(toString(measured.verdict.kind), "device", "semantics", measured.verdict.reason);
    }
    judgeTimes(measured, point);
    return true;
  }

  void judgeTimes(const Measurement &measured, JudgedPoint &point) const {
    double logarithms = 0;
    unsigned faster = 0, timed = 0;
    std::string slower;
    for (const ShapeMeasurement &shape : measured.shapes) {
      if (!shape.timed)
        continue;
      ++timed;
      logarithms += std::log(shape.ratio);
      faster += shape.comparison == TimeComparison::Faster;
      if (shape.comparison == TimeComparison::Slower)
        slower += (slower.empty() ? "" : "; ") + shape.shape;
    }
    point.ratio = timed == 0 ? 0 : std::exp(logarithms / timed);
    if (!slower.empty())
      point.failed("declined", "device", "not better", "slower on " + slower);
    else if (faster == 0)
      point.failed("declined", "device", "not better", "no shape is faster");
    else
      accept(point, "device", "measurement", llvm::formatv("{0:F3} of the original's time", point.ratio));
  }

  void judgeByFacts(JudgedPoint &point) const {
    Verdict verdict{Verdict::Kind::Undecided, "dominance", "nothing is known to compare"};
    for (size_t i = 0; i < point.before.size() && i < point.after.size(); ++i) {
      verdict = judgeDominance(point.before[i], point.after[i]);
      if (verdict.kind != Verdict::Kind::Accepted)
        break;
    }
    if (verdict.kind == Verdict::Kind::Accepted)
      return accept(point, "dominance", "facts", verdict.reason);
    point.failed("undecided", "dominance", "not measured",
                 "it computes the same; whether it is faster only a measurement can tell: " + verdict.reason);
  }

  void accept(JudgedPoint &point, std::string stage, std::string by, std::string reason) const {
    point.verdict = "accepted";
    point.stage = std::move(stage);
    point.gainBy = std::move(by);
    point.explained = agents::anyBorneOut(point.claims);
    point.reason =
        std::move(reason) +
        (point.explained ? "" : "; the gain is unexplained: no claim names a cause that the facts show");
  }

  const JudgedPoint &best() const {
    auto rank = [](const JudgedPoint &point) {
      int verdict = point.verdict == "accepted"    ? 0
                    : point.verdict == "undecided" ? 1
                    : point.verdict == "refused"   ? 3
                                                   : 2;
      double figure = point.ratio > 0 ? point.ratio : point.cost > 0 ? point.cost : 1e9;
      return std::pair(verdict, figure);
    };
    return *llvm::min_element(
        points_, [&](const JudgedPoint &left, const JudgedPoint &right) { return rank(left) < rank(right); });
  }

  Json recordJson() const {
    const JudgedPoint &leading = best();
    Json record = unrunRecord(setting_.job.file, submission_, leading.verdict.c_str(), leading.stage,
                              leading.reason, nextStepAfter(leading));
    record["kernel"] = record_->name;
    record["original"] = original_.source;
    record["original_text"] = agents::checksumOf(versions_.text());
    record["conditions"] = conditions();
    record["claims"] = claimsChecksum();
    if (!leading.code.empty())
      record["code"] = leading.code;
    if (!leading.category.empty())
      record["category"] = leading.category;
    if (!leading.details.empty())
      record["details"] = leading.details;
    for (const JudgedPoint &point : points_)
      record["candidates"].push_back(toJson(point));
    record["best"] = &leading - points_.data();
    return record;
  }

  const JudgeSetting &setting_;
  const agents::Submission &submission_;
  const agents::AgentPolicy &policy_;
  FileVersions versions_;
  CandidateJudge screener_;
  std::vector<KernelRecord> records_;
  KernelRecord *record_ = nullptr;
  bool originalStarted_ = false;
  bool originalFinished_ = false;
  ProgramIdentity original_;
  std::vector<JudgedPoint> points_;
};

} // namespace

llvm::Expected<Json> judgeSubmission(const JudgeSetting &setting, const agents::Submission &submission) {
  return SubmissionJudge(setting, submission).judge();
}

} // namespace warpwright
