#include "clang_plugin/ProposeCandidates.h"

#include "analysis/ast/HiddenDefinitions.h"
#include "feedback/Choose.h"
#include "rewriters/Rewriter.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

bool sameCandidate(const Candidate &left, const Candidate &right) {
  return left.subject == right.subject && left.parameters == right.parameters &&
         llvm::equal(left.edits, right.edits, [](const Edit &a, const Edit &b) { return sameChange(a, b); });
}

void addDeclines(std::vector<Decline> declines, KernelRecord &record) {
  for (Decline &decline : declines)
    if (llvm::none_of(record.declines, [&](const Decline &known) {
          return known.rewriter == decline.rewriter && known.reason == decline.reason;
        }))
      record.declines.push_back(std::move(decline));
}

/// Code under `#if __CUDA_ARCH__` may make an edit illegal on one architecture, so what is not proposed on
/// all is dropped; the one that objects has declined.
llvm::Error ask(const RewriterInfo &rewriter, FileVersions &versions, bool launchMayChange, bool relaunched,
                KernelRecord &record) {
  std::vector<Candidate> common;
  const std::vector<const KernelAnalysis *> ordered = versions.of(record.key);
  for (size_t i = 0; i < ordered.size(); ++i) {
    std::vector<const KernelAnalysis *> rotated = ordered;
    std::rotate(rotated.begin(), rotated.begin() + i, rotated.end());
    llvm::Expected<Proposals> proposals =
        rewriter.propose({*versions.files[i].unit, *ordered[i], rotated, launchMayChange, relaunched});
    if (!proposals)
      return proposals.takeError();
    addDeclines(std::move(proposals->declines), record);
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
    record.candidates.push_back({std::move(candidate), {}, {}});
  return llvm::Error::success();
}

} // namespace

std::string whyUntouchable(const FileVersions &versions, const KernelRecord &record) {
  if (!versions.haveAll(record.key))
    return "not every architecture of the command has it";
  // Offsets in the repaired text are not those of the user's file, and a repair is no code to hand on.
  if (versions.files.front().unit->remapped())
    return "Clang parses the file only after a repair in memory, so it is analysed and not rewritten";
  if (!versions.of(record.key).front()->kernel.inMainFile)
    return "it is defined in a header, which other files include, too";
  if (hasHiddenDefinition(*versions.of(record.key).front()->kernel.declaration))
    return "the file defines it once more, in a branch of the preprocessor that the host may take";
  return {};
}

llvm::Error proposeCandidates(FileVersions &versions, const Policy &policy, KernelRecord &record,
                              bool relaunched) {
  if (!record.annotated)
    return llvm::Error::success();
  record.reason = whyUntouchable(versions, record);
  if (!record.reason.empty())
    return llvm::Error::success();
  const KernelAnalysis &kernel = *versions.of(record.key).front();
  bool launchMayChange = policy.launchChange || kernel.annotation->allows(Permission::LaunchChange);
  for (const RewriterInfo &rewriter : rewriters()) {
    std::string_view who = kernel.annotation->forbids(rewriter.id) ? "annotation"
                           : policy.forbids(rewriter.id)           ? "policy"
                                                                   : "";
    if (!who.empty()) {
      record.declines.push_back(
          {rewriter.id.str(), record.key, record.place, "the " + std::string(who) + " forbids it"});
      continue;
    }
    if (llvm::Error error = ask(rewriter, versions, launchMayChange, relaunched, record))
      return error;
  }
  if (relaunched)
    return llvm::Error::success();
  const bool mayDispatch = policy.dispatch || kernel.annotation->allows(Permission::Dispatch);
  if (!mayDispatch)
    record.dispatch.whyNot = "allow(dispatch) does not admit a choice between variants on the host";
  else if (kernel.annotation->forbids("dispatch-by-shape") || policy.forbids("dispatch-by-shape"))
    record.dispatch.whyNot = "dispatch-by-shape is forbidden";
  else
    record.dispatch = dispatchOf(
        {*versions.files.front().unit, kernel, versions.of(record.key), launchMayChange, relaunched});
  return llvm::Error::success();
}

} // namespace warpwright
