#include "clang_plugin/Pipeline.h"

#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/Emit.h"
#include "feedback/Choose.h"
#include "rewriters/Rewriter.h"
#include "rewriters/prescreen/PreScreen.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/Support/FileSystem.h>

#include <chrono>
#include <functional>

namespace warpwright {
namespace {

class Pipeline {
public:
  Pipeline(const FileJob &job, clang::DiagnosticConsumer &diagnostics)
      : job_(job), diagnostics_(diagnostics) {}

  llvm::Expected<FileOutcome> run() {
    llvm::Error error = steps();
    // What the user's code did wrong is part of the outcome.
    error = llvm::handleErrors(std::move(error), [&](const ParseFailure &failure) {
      remark(Remark::Kind::Missed, "parse", failure.place, "not analysed: " + failure.message);
    });
    if (error)
      return std::move(error);
    return std::move(outcome_);
  }

private:
  // The picture of docs/architecture, one step a line.
  llvm::Error steps() {
    if (llvm::Error error = step("front end", &Pipeline::parse))
      return error;
    if (llvm::Error error = step("facts", &Pipeline::collectFacts))
      return error;
    if (llvm::Error error = step("findings", &Pipeline::find))
      return error;
    if (job_.mode == "check")
      return llvm::Error::success();
    if (llvm::Error error = step("candidates", &Pipeline::propose))
      return error;
    if (llvm::Error error = step("pre-screen", &Pipeline::screen))
      return error;
    if (llvm::Error error = step("choose", &Pipeline::choose))
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
    outcome_.record.file = job_.file;
    outcome_.record.mode = job_.mode;
    for (const NvccTarget &target : analysisTargets(job_.invocation)) {
      FileRequest request;
      request.file = job_.file;
      request.invocation = job_.invocation;
      request.target = target;
      request.toolkit = job_.toolkit;
      request.cacheDirectory = job_.cacheDirectory;
      request.annotateEverything = job_.annotateEverything;
      llvm::Expected<FileAnalysis> file = openFile(request);
      if (!file)
        return file.takeError();
      outcome_.record.architectures.push_back(file->unit->architecture().str());
      requests_.push_back(std::move(request));
      files_.push_back(std::move(*file));
    }
    return llvm::Error::success();
  }

  llvm::Error collectFacts() {
    for (size_t i = 0; i < files_.size(); ++i)
      if (llvm::Error error =
              warpwright::collectFacts(files_[i], requests_[i], i == 0 ? &diagnostics_ : nullptr))
        return error;
    outcome_.annotationMistakes = diagnostics_.getNumWarnings() + diagnostics_.getNumErrors();
    return llvm::Error::success();
  }

  llvm::Error find() {
    for (FileAnalysis &file : files_)
      for (KernelAnalysis &kernel : file.kernels)
        kernel.findings = findAll(kernel);
    for (const KernelAnalysis &kernel : files_.front().kernels) {
      KernelRecord record;
      record.key = kernel.kernel.key;
      record.name = kernel.kernel.name;
      record.place = kernel.kernel.place;
      record.annotated = kernel.annotation.has_value();
      record.launchNote = kernel.launchNote;
      record.findings = kernel.findings;
      record.choice = "original";
      for (const KernelAnalysis *version : versionsOf(record.key))
        record.before.push_back(predict(*version));
      record.after = record.before;
      outcome_.record.kernels.push_back(std::move(record));
    }
    return llvm::Error::success();
  }

  llvm::Error propose() {
    for (KernelRecord &record : outcome_.record.kernels) {
      std::vector<const KernelAnalysis *> versions = versionsOf(record.key);
      const KernelAnalysis &analysis = *versions.front();
      if (!record.annotated)
        continue;
      for (const RewriterInfo &rewriter : rewriters()) {
        if (std::string reason = whyNot(analysis, rewriter); !reason.empty()) {
          record.declines.push_back({rewriter.id.str(), record.key, record.place, reason});
          continue;
        }
        if (llvm::Error error = proposeOne(record, rewriter))
          return error;
      }
    }
    return llvm::Error::success();
  }

  /// Asks the rewriter on every architecture: code under `#if __CUDA_ARCH__` may make an edit illegal on one
  /// of them. What is not proposed on all is declined.
  llvm::Error proposeOne(KernelRecord &record, const RewriterInfo &rewriter) {
    std::vector<Candidate> common;
    std::vector<const KernelAnalysis *> versions = versionsOf(record.key);
    for (size_t i = 0; i < files_.size(); ++i) {
      std::rotate(versions.begin(), llvm::find(versions, versionsOf(record.key)[i]), versions.end());
      llvm::Expected<Proposals> proposals = rewriter.propose({*files_[i].unit, *versions.front(), versions});
      if (!proposals)
        return proposals.takeError();
      for (Decline &decline : proposals->declines)
        if (llvm::none_of(record.declines,
                          [&](const Decline &known) { return known.reason == decline.reason; }))
          record.declines.push_back(std::move(decline));
      if (i == 0) {
        common = std::move(proposals->candidates);
        continue;
      }
      llvm::erase_if(common, [&](const Candidate &candidate) {
        return llvm::none_of(proposals->candidates,
                             [&](const Candidate &other) { return sameCandidate(candidate, other); });
      });
    }
    for (Candidate &candidate : common)
      record.candidates.push_back({std::move(candidate), {}, {}, false});
    return llvm::Error::success();
  }

  static bool sameCandidate(const Candidate &left, const Candidate &right) {
    return left.subject == right.subject && left.parameters == right.parameters &&
           llvm::equal(left.edits, right.edits,
                       [](const Edit &a, const Edit &b) { return sameChange(a, b); });
  }

  llvm::Error screen() {
    if (llvm::Error error = readOriginal())
      return error;
    std::vector<Waiting> queue;
    for (KernelRecord &record : outcome_.record.kernels)
      for (CandidateRecord &candidate : record.candidates)
        queue.push_back({&record, &candidate, std::nullopt});
    for (size_t i = 0; i < queue.size(); ++i)
      if (llvm::Error error = screenNext(llvm::MutableArrayRef(queue).drop_front(i)))
        return error;
    return llvm::Error::success();
  }

  /// A candidate to be screened alone, and its screening once nvcc was started on it.
  struct Waiting {
    KernelRecord *record;
    CandidateRecord *candidate;
    std::optional<Screening> screening;

    bool alternativeTo(const Waiting &other) const {
      return record == other.record && candidate->candidate.rewriter == other.candidate->candidate.rewriter &&
             candidate->candidate.subject == other.candidate->candidate.subject;
    }
  };

  /// Screens the first of the queue; while it is analysed, nvcc works on one more. That is the next that is
  /// no alternative to the first, since the first may be so good that its alternatives need no look.
  llvm::Error screenNext(llvm::MutableArrayRef<Waiting> queue) {
    Waiting &first = queue.front();
    if (!first.candidate->verdicts.empty())
      return llvm::Error::success(); // an earlier one made it needless
    if (!first.screening)
      first.screening = startScreening(*first.record, {&first.candidate->candidate});
    for (Waiting &next : queue.drop_front()) {
      if (next.alternativeTo(first) || !next.candidate->verdicts.empty())
        continue;
      if (!next.screening)
        next.screening = startScreening(*next.record, {&next.candidate->candidate});
      break;
    }
    bool isOptimal = false;
    llvm::Expected<Judgement> judgement = finishScreening(*first.screening, first.record->before,
                                                          first.candidate->candidate.sharedSymbol, isOptimal);
    first.screening.reset();
    if (!judgement)
      return judgement.takeError();
    first.candidate->predictions = std::move(judgement->predictions);
    bool accepted = judgement->verdict.kind == Verdict::Kind::Accepted;
    first.candidate->verdicts.push_back(std::move(judgement->verdict));
    if (!accepted || !isOptimal)
      return llvm::Error::success();
    std::string point;
    for (const auto &[name, value] : first.candidate->candidate.parameters)
      point += (point.empty() ? "" : " ") + name + "=" + std::to_string(value);
    for (Waiting &other : queue.drop_front())
      if (other.alternativeTo(first)) {
        other.screening.reset();
        other.candidate->verdicts.push_back(
            {Verdict::Kind::Declined, "pre-screen", "not screened: " + point + " leaves no conflict"});
      }
    return llvm::Error::success();
  }

  llvm::Error choose() {
    for (KernelRecord &record : outcome_.record.kernels) {
      auto judgeSet = [&](llvm::ArrayRef<const Candidate *> set, llvm::ArrayRef<Prediction> against) {
        return judge(record, set, against);
      };
      if (llvm::Error error = chooseByDominance(record, judgeSet))
        return error;
    }
    agreeOnTemplates(outcome_.record.kernels);
    return llvm::Error::success();
  }

  llvm::Error emit() {
    EmitRequest request;
    for (const KernelRecord &record : outcome_.record.kernels)
      for (const CandidateRecord &candidate : record.candidates)
        if (candidate.chosen)
          for (const Edit &edit : candidate.candidate.edits)
            // Instantiations of one template ask for the same edits.
            if (llvm::none_of(request.edits, [&](const Edit &known) { return sameChange(known, edit); }))
              request.edits.push_back(edit);
    if (request.edits.empty())
      return llvm::Error::success();
    request.original = original_;
    request.originalPath = job_.file;
    request.generatedPath = job_.generatedPath;
    for (const KernelAnalysis &kernel : files_.front().kernels)
      if (kernel.kernel.inMainFile)
        request.definitions.push_back(regionOf(kernel));
    llvm::Expected<std::string> text = emitSource(request);
    if (!text)
      return text.takeError();
    outcome_.rewritten = std::move(*text);
    return llvm::Error::success();
  }

  /// Why the policy keeps the rewriter away from the kernel; empty when it does not.
  std::string whyNot(const KernelAnalysis &analysis, const RewriterInfo &rewriter) const {
    // Offsets in the repaired text are not those of the user's file, and a repair is no code to hand on.
    if (files_.front().unit->remapped())
      return "Clang parses the file only after a repair in memory, so it is analysed and not rewritten";
    if (!analysis.kernel.inMainFile)
      return "the kernel is defined in a header, which other files include, too";
    if (analysis.annotation->forbids(rewriter.id))
      return "the annotation forbids it";
    return {};
  }

  /// nvcc on the edits of the set, on all architectures.
  Screening startScreening(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set) const {
    std::vector<Edit> edits;
    for (const Candidate *candidate : set)
      llvm::append_range(edits, candidate->edits);
    const KernelAnalysis &original = *versionsOf(record.key).front();
    return Screening::start(requests_, original_, original, edits, registerLimit(original));
  }

  /// The front end and ptxas, and the result compared. `isOptimal`: no access to the shared variable of that
  /// symbol collides any more.
  llvm::Expected<Judgement> finishScreening(Screening &screening, llvm::ArrayRef<Prediction> against,
                                            llvm::StringRef sharedSymbol, bool &isOptimal) const {
    llvm::Expected<Screened> screened = screening.finish();
    if (!screened)
      return screened.takeError();
    Judgement judgement{std::move(screened->verdict), {}};
    for (const FileAnalysis &file : screened->files)
      judgement.predictions.push_back(predict(file.kernels.front()));
    isOptimal = !sharedSymbol.empty() && llvm::all_of(screened->files, [&](const FileAnalysis &file) {
      return file.kernels.front().isConflictFree(sharedSymbol);
    });
    if (judgement.verdict.kind != Verdict::Kind::Accepted)
      return judgement;
    for (size_t i = 0; i < against.size(); ++i) {
      judgement.verdict = judgeDominance(against[i], judgement.predictions[i]);
      if (judgement.verdict.kind != Verdict::Kind::Accepted)
        break;
    }
    return judgement;
  }

  llvm::Expected<Judgement> judge(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set,
                                  llvm::ArrayRef<Prediction> against) const {
    Screening screening = startScreening(record, set);
    bool isOptimal = false;
    return finishScreening(screening, against, {}, isOptimal);
  }

  unsigned registerLimit(const KernelAnalysis &analysis) const {
    if (analysis.annotation && analysis.annotation->maxRegisters)
      return analysis.annotation->maxRegisters->count;
    return job_.maxRegisters;
  }

  /// The kernel's analysis for each architecture.
  std::vector<const KernelAnalysis *> versionsOf(llvm::StringRef key) const {
    std::vector<const KernelAnalysis *> versions;
    for (const FileAnalysis &file : files_)
      for (const KernelAnalysis &kernel : file.kernels)
        if (kernel.kernel.key == key)
          versions.push_back(&kernel);
    return versions;
  }

  SourceRegion regionOf(const KernelAnalysis &kernel) const {
    const clang::SourceManager &sources = files_.front().unit->ast().getSourceManager();
    const clang::FunctionDecl *function = kernel.kernel.declaration;
    if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
      function = pattern;
    clang::SourceLocation begin = function->getOuterLocStart();
    if (const clang::FunctionTemplateDecl *described = function->getDescribedFunctionTemplate())
      begin = described->getBeginLoc();
    return {sources.getFileOffset(sources.getExpansionLoc(begin)),
            sources.getFileOffset(sources.getExpansionLoc(function->getEndLoc())) + 1};
  }

  llvm::Error readOriginal() {
    const clang::SourceManager &sources = files_.front().unit->ast().getSourceManager();
    original_ = sources.getBufferData(sources.getMainFileID()).str();
    return llvm::Error::success();
  }

  void remark(Remark::Kind kind, std::string id, Place place, std::string message) {
    outcome_.record.remarks.push_back({kind, std::move(id), std::move(place), std::move(message)});
  }

  const FileJob &job_;
  clang::DiagnosticConsumer &diagnostics_;
  FileOutcome outcome_;
  std::string original_;
  std::vector<FileRequest> requests_; ///< one an architecture
  std::vector<FileAnalysis> files_;   ///< the same order
};

} // namespace

llvm::Expected<FileOutcome> runPipeline(const FileJob &job, clang::DiagnosticConsumer &diagnostics) {
  return Pipeline(job, diagnostics).run();
}

} // namespace warpwright
