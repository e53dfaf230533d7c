#include "clang_plugin/SubmittedCandidates.h"

#include "analysis/frontend/TranslationUnit.h"
#include "clang_plugin/ProposeCandidates.h"
#include "clang_plugin/SequenceSearch.h"
#include "feedback/agents/AdmittedText.h"
#include "feedback/agents/TokenEdits.h"
#include "feedback/agents/UnifiedDiff.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/LaunchChange.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

std::string nameOf(const agents::ParameterPoint &point) {
  std::string name;
  for (const auto &[parameter, value] : point)
    name += (name.empty() ? "" : " ") + parameter + "=" + std::to_string(value);
  return name;
}

/// All sequences of the steps' points, the first step's changing slowest.
std::vector<std::vector<RewriteStep>> sequencesOf(llvm::ArrayRef<agents::SubmittedStep> steps) {
  std::vector<std::vector<RewriteStep>> sequences = {{}};
  for (const agents::SubmittedStep &step : steps) {
    std::vector<std::vector<RewriteStep>> longer;
    for (const std::vector<RewriteStep> &sequence : sequences)
      for (const agents::ParameterPoint &point : agents::pointsOf(step.parameters)) {
        longer.push_back(sequence);
        longer.back().push_back({step.rewriter, step.subject, point});
      }
    sequences = std::move(longer);
  }
  return sequences;
}

std::string nameOf(llvm::ArrayRef<RewriteStep> steps) {
  std::string name;
  for (const RewriteStep &step : steps)
    name += (name.empty() ? "" : " + ") + step.name();
  return name;
}

bool isStep(const RewriteStep &wanted, const Candidate &candidate) {
  return candidate.earlier.empty() && candidate.rewriter == wanted.rewriter &&
         (wanted.subject.empty() || candidate.subject == wanted.subject) &&
         llvm::all_of(wanted.parameters, [&](const auto &parameter) {
           auto found = candidate.parameters.find(parameter.first);
           return found != candidate.parameters.end() && found->second == parameter.second;
         });
}

class CandidateMaker {
public:
  CandidateMaker(const agents::Submission &submission, FileVersions &versions, const Policy &policy,
                 const KernelRecord &record)
      : submission_(submission), versions_(versions), policy_(policy), record_(record),
        kernel_(*versions.of(record.key).front()), unit_(*versions.files.front().unit) {}

  llvm::Expected<std::vector<SubmittedCandidate>> make() {
    if (!submission_.steps.empty())
      return makeSequences();
    std::vector<SubmittedCandidate> candidates;
    for (const agents::ParameterPoint &point : agents::pointsOf(submission_.parameters)) {
      llvm::Expected<SubmittedCandidate> candidate = makePoint(point);
      if (!candidate)
        return candidate.takeError();
      candidates.push_back(std::move(*candidate));
    }
    return candidates;
  }

private:
  llvm::Expected<std::vector<SubmittedCandidate>> makeSequences() {
    KernelRecord proposed = record_;
    if (llvm::Error error = proposeCandidates(versions_, policy_, proposed))
      return std::move(error);
    SequenceSearch search(versions_, policy_);
    std::vector<SubmittedCandidate> candidates;
    for (const std::vector<RewriteStep> &steps : sequencesOf(submission_.steps)) {
      SubmittedCandidate &candidate = candidates.emplace_back();
      candidate.name = nameOf(steps);
      KernelRecord record = proposed;
      llvm::Expected<std::string> whyNot = search.apply(steps, record);
      if (!whyNot)
        return whyNot.takeError();
      candidate.broken = *whyNot;
      if (!whyNot->empty())
        continue;
      auto single = llvm::find_if(record.candidates, [&](const CandidateRecord &one) {
        return isStep(steps.front(), one.candidate);
      });
      candidate.candidate = steps.size() == 1 ? single->candidate : record.candidates.back().candidate;
      candidate.name = candidate.candidate.name();
    }
    return candidates;
  }

  llvm::Expected<SubmittedCandidate> makePoint(const agents::ParameterPoint &point) {
    SubmittedCandidate made;
    made.name = nameOf(point);
    if (llvm::Error error = changeText(point, made)) {
      made.broken = llvm::toString(std::move(error));
      return made;
    }
    Candidate &candidate = made.candidate;
    candidate.rewriter = "submitted";
    candidate.subject = submission_.title;
    candidate.parameters = point;
    candidate.kernelKey = record_.key;
    for (Edit &edit : candidate.edits)
      explain(edit);
    if (submission_.launch)
      return changeLaunch(std::move(made), point);
    return made;
  }

  /// What the point makes of the file's text, and the edits that do it.
  llvm::Error changeText(const agents::ParameterPoint &point, SubmittedCandidate &made) const {
    llvm::StringRef original = versions_.text();
    const bool isPatch = !submission_.patch.empty();
    llvm::Expected<std::string> change =
        agents::substitute(isPatch ? submission_.patch : submission_.source, withoutLaunch(point));
    if (!change)
      return change.takeError();
    std::vector<Edit> edits;
    if (isPatch) {
      llvm::Expected<std::vector<Edit>> read = agents::readDiff(*change, original);
      if (!read)
        return read.takeError();
      edits = std::move(*read);
    } else {
      agents::AdmittedText text = agents::readText({&unit_.ast(), kernel_.kernel.declaration});
      const agents::ChangeableFunction *function = text.kernel();
      if (!function)
        return llvm::createStringError("the kernel's definition is not text of the file itself");
      Edit edit;
      edit.offset = function->begin;
      edit.length = function->end - function->begin;
      edit.text = llvm::StringRef(*change).trim().str();
      edits.push_back(std::move(edit));
    }
    llvm::Expected<std::string> changed = applyEdits(original, edits);
    if (!changed)
      return changed.takeError();
    made.changedText = std::move(*changed);
    made.candidate.edits = agents::tokenEdits(original, made.changedText, unit_.ast().getLangOpts());
    if (made.candidate.edits.empty())
      return llvm::createStringError("it changes nothing but layout");
    return llvm::Error::success();
  }

  /// Parameters that stand in launch expressions alone are no marks of the text.
  agents::ParameterPoint withoutLaunch(const agents::ParameterPoint &point) const {
    const std::string &text = submission_.patch.empty() ? submission_.source : submission_.patch;
    agents::ParameterPoint used;
    for (const auto &[name, value] : point)
      if (!isInLaunch(name) || text.find("@" + name + "@") != std::string::npos)
        used[name] = value;
    return used;
  }

  bool isInLaunch(const std::string &name) const {
    if (!submission_.launch)
      return false;
    auto holds = [&](const std::string &text) { return text.find("@" + name + "@") != std::string::npos; };
    return llvm::any_of(submission_.launch->grid, holds) || llvm::any_of(submission_.launch->block, holds) ||
           (submission_.launch->dynamicShared && holds(*submission_.launch->dynamicShared));
  }

  void explain(Edit &edit) const {
    const clang::SourceManager &sources = unit_.ast().getSourceManager();
    edit.file = versions_.requests.front().file;
    edit.place.file = edit.file;
    edit.place.line = sources.getLineNumber(sources.getMainFileID(), edit.offset);
    edit.place.column = sources.getColumnNumber(sources.getMainFileID(), edit.offset);
    const agents::SubmittedReason reason =
        submission_.reasons.empty() ? agents::SubmittedReason() : submission_.reasons.front();
    edit.reason = reason.what.empty() ? "submitted" : reason.what;
    edit.expectedGain = reason.expectedGain;
    edit.risk = reason.risk;
  }

  llvm::Expected<SubmittedCandidate> changeLaunch(SubmittedCandidate made,
                                                  const agents::ParameterPoint &point) const {
    const bool mayChange =
        policy_.launchChange || (kernel_.annotation && kernel_.annotation->allows(Permission::LaunchChange));
    LaunchChange change({unit_, kernel_, versions_.of(record_.key), mayChange, false});
    if (!change.whyNot().empty()) {
      made.broken = "the launch cannot change: " + change.whyNot();
      return made;
    }
    NewLaunch launch;
    auto set = [&](std::string text) {
      for (const auto &[name, value] : point)
        if (llvm::Expected<std::string> done = agents::substitute(text, {{name, value}}))
          text = std::move(*done);
        else
          llvm::consumeError(done.takeError());
      return text;
    };
    for (const std::string &axis : submission_.launch->grid)
      launch.grid.push_back(set(axis));
    for (const std::string &axis : submission_.launch->block)
      launch.block.push_back(set(axis));
    if (submission_.launch->dynamicShared)
      launch.dynamicShared = set(*submission_.launch->dynamicShared);
    // An expression that does not parse is the submission's mistake here.
    if (llvm::Error error = change.apply(launch, made.candidate))
      made.broken = "the launch cannot change: " + llvm::toString(std::move(error));
    return made;
  }

  const agents::Submission &submission_;
  FileVersions &versions_;
  const Policy &policy_;
  const KernelRecord &record_;
  const KernelAnalysis &kernel_;
  TranslationUnit &unit_;
};

} // namespace

llvm::Expected<std::vector<SubmittedCandidate>> makeCandidates(const agents::Submission &submission,
                                                               FileVersions &versions, const Policy &policy,
                                                               const KernelRecord &record) {
  return CandidateMaker(submission, versions, policy, record).make();
}

} // namespace warpwright
