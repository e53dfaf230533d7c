#include "clang_plugin/Pipeline.h"

#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/ChosenSource.h"
#include "clang_plugin/FileVersions.h"
#include "clang_plugin/JudgeCandidates.h"
#include "clang_plugin/KernelRecords.h"
#include "clang_plugin/LockedChoice.h"
#include "clang_plugin/ProposeCandidates.h"
#include "clang_plugin/ScreeningQueue.h"
#include "clang_plugin/SequenceSearch.h"
#include "clang_plugin/Tuner.h"
#include "clang_plugin/VerifyChosen.h"
#include "feedback/Calibration.h"
#include "feedback/Choose.h"
#include "rewriters/edits/ApplyEdits.h"

#include <chrono>

namespace warpwright {
namespace {

/// Of the candidates that are measured, those of a single step.
size_t mostSingle(size_t mostMeasured) {
  return (mostMeasured * 3 + 4) / 5;
}

class Pipeline {
public:
  Pipeline(const FileJob &job, clang::DiagnosticConsumer &diagnostics)
      : job_(job), diagnostics_(diagnostics), judge_(versions_, job.policy.maxRegisters) {
    outcome_.record.file = job.file;
    outcome_.record.mode = job.mode;
    outcome_.record.remarks = job.remarks;
    if (!job.invocation.assumedArchitecture.empty())
      outcome_.record.remarks.push_back({Remark::Kind::Analysis,
                                         "architecture",
                                         {},
                                         "no GPU is here, so '-arch=native' is " +
                                             job.invocation.assumedArchitecture + ", as nvcc takes it"});
  }

  llvm::Expected<FileOutcome> run() {
    // What the user's code did wrong is part of the outcome.
    llvm::Error error = llvm::handleErrors(steps(), [&](const ParseFailure &failure) {
      outcome_.record.remarks.push_back(
          {Remark::Kind::Missed, "parse", failure.place, "not analysed: " + failure.message});
    });
    if (error)
      return std::move(error);
    return std::move(outcome_);
  }

private:
  /// The picture of docs/architecture, one step a line.
  llvm::Error steps() {
    if (llvm::Error error = step("front end", &Pipeline::parse))
      return error;
    if (llvm::Error error = step("facts", &Pipeline::readFacts))
      return error;
    if (llvm::Error error = step("findings", &Pipeline::find))
      return error;
    if (job_.mode == "check")
      return llvm::Error::success();
    if (llvm::Error error = step("candidates", &Pipeline::propose))
      return error;
    if (job_.lock || job_.tuner)
      if (llvm::Error error = step("lock", &Pipeline::takeLocked))
        return error;
    if (llvm::Error error = step("pre-screen", &Pipeline::screen))
      return error;
    if (llvm::Error error = step("sequences", &Pipeline::compose))
      return error;
    if (job_.tuner)
      return step("measure", &Pipeline::measure);
    if (llvm::Error error = step("choose", &Pipeline::choose))
      return error;
    if (job_.verify)
      if (llvm::Error error = step("verify", &Pipeline::verify))
        return error;
    return step("emit", &Pipeline::emit);
  }

  llvm::Error step(const char *name, llvm::Error (Pipeline::*work)()) {
    auto start = std::chrono::steady_clock::now();
    llvm::Error error = (this->*work)();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    outcome_.seconds.emplace_back(name, seconds.count());
    return error;
  }

  llvm::Error parse() {
    llvm::Expected<FileVersions> versions = openVersions(job_);
    if (!versions)
      return versions.takeError();
    versions_ = std::move(*versions);
    for (const FileAnalysis &file : versions_.files)
      outcome_.record.architectures.push_back(file.unit->architecture().str());
    return llvm::Error::success();
  }

  llvm::Error readFacts() {
    for (size_t i = 0; i < versions_.files.size(); ++i)
      if (llvm::Error error =
              collectFacts(versions_.files[i], versions_.requests[i], i == 0 ? &diagnostics_ : nullptr))
        return error;
    outcome_.annotationMistakes = diagnostics_.getNumWarnings() + diagnostics_.getNumErrors();
    return llvm::Error::success();
  }

  llvm::Error find() {
    for (FileAnalysis &file : versions_.files)
      for (KernelAnalysis &kernel : file.kernels) {
        kernel.findings = findAll(kernel);
        if (job_.calibration)
          job_.calibration->apply(kernel.findings, kernel.architecture);
      }
    kernels() = recordKernels(versions_);
    return llvm::Error::success();
  }

  llvm::Error propose() {
    for (KernelRecord &record : kernels())
      if (llvm::Error error = proposeCandidates(versions_, job_.policy, record))
        return error;
    return llvm::Error::success();
  }

  llvm::Error takeLocked() {
    return job_.tuner ? job_.tuner->takeFresh(job_, versions_, kernels())
                      : takeLockedChoices(job_, versions_, outcome_.record);
  }

  llvm::Error measure() {
    llvm::Error error = job_.tuner->tune(job_, versions_, kernels());
    llvm::append_range(outcome_.record.remarks, job_.tuner->takeRemarks());
    return error;
  }

  llvm::Error screen() {
    if (job_.chooseAny)
      return llvm::Error::success();
    for (KernelRecord &record : kernels())
      if (!job_.sequences.empty())
        keepFirstSteps(job_.sequences, record);
      else if (job_.tuner)
        leaveRoom(record, mostSingle(job_.mostMeasured));
    return ScreeningQueue(judge_, kernels(), /*skipAlternatives=*/!job_.tuner).run();
  }

  llvm::Error compose() {
    if (job_.chooseAny)
      return llvm::Error::success();
    SequenceSearch search(versions_, judge_, job_.policy);
    if (!job_.sequences.empty())
      return applyNamed(search);
    for (KernelRecord &record : kernels())
      if (!record.isLocked)
        if (llvm::Error error =
                job_.tuner ? search.extendWide(record, job_.mostMeasured) : search.extend(record))
          return error;
    return llvm::Error::success();
  }

  /// The sequences that the job names; one that no kernel takes is missed.
  llvm::Error applyNamed(const SequenceSearch &search) {
    for (const std::vector<RewriteStep> &steps : job_.sequences) {
      std::vector<Remark> refused;
      bool isTaken = false;
      for (KernelRecord &record : kernels()) {
        if (!record.annotated || record.isLocked)
          continue;
        llvm::Expected<std::string> whyNot = search.apply(steps, record);
        if (!whyNot)
          return whyNot.takeError();
        isTaken |= whyNot->empty();
        if (!whyNot->empty())
          refused.push_back({Remark::Kind::Missed, "apply", record.place, record.name + ": " + *whyNot});
      }
      for (Remark &remark : refused) {
        remark.kind = isTaken ? Remark::Kind::Analysis : Remark::Kind::Missed;
        outcome_.record.remarks.push_back(std::move(remark));
      }
    }
    return llvm::Error::success();
  }

  llvm::Error choose() {
    for (KernelRecord &record : kernels()) {
      if (record.isLocked)
        continue;
      if (job_.chooseAny) {
        chooseUnseen(record);
        continue;
      }
      auto judgeSet = [&](llvm::ArrayRef<const Candidate *> set, llvm::ArrayRef<Prediction> against) {
        return judge_.judge(record, set, against);
      };
      if (llvm::Error error = chooseByDominance(record, judgeSet))
        return error;
    }
    agreeOnTemplates(kernels());
    return llvm::Error::success();
  }

  llvm::Error verify() {
    for (KernelRecord &record : kernels())
      if (llvm::Error error =
              record.isLocked ? llvm::Error::success() : verifyChosen(job_, versions_, record))
        return error;
    agreeOnTemplates(kernels());
    return llvm::Error::success();
  }

  llvm::Error emit() {
    llvm::Expected<std::optional<std::string>> text = chosenSource(job_, versions_, kernels());
    if (!text)
      return text.takeError();
    outcome_.rewritten = std::move(*text);
    if (!job_.wantCandidates)
      return llvm::Error::success();
    for (const KernelRecord &record : kernels())
      for (const CandidateRecord &candidate : record.candidates)
        // One whose edits meet has a verdict that says so, and no text.
        if (llvm::Expected<std::string> source = applyCandidates(versions_.text(), {&candidate.candidate}))
          outcome_.candidates.push_back({record.name, candidate.candidate.name(), std::move(*source)});
        else
          llvm::consumeError(source.takeError());
    return llvm::Error::success();
  }

  std::vector<KernelRecord> &kernels() { return outcome_.record.kernels; }

  const FileJob &job_;
  clang::DiagnosticConsumer &diagnostics_;
  FileOutcome outcome_;
  FileVersions versions_;
  CandidateJudge judge_;
};

} // namespace

llvm::Expected<FileOutcome> runPipeline(const FileJob &job, clang::DiagnosticConsumer &diagnostics) {
  return Pipeline(job, diagnostics).run();
}

} // namespace warpwright
