#include "clang_plugin/VerifyChosen.h"

#include "analysis/frontend/FrontEnd.h"
#include "feedback/Choose.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *Stage = "virtual device";

std::vector<Edit> editsOf(const KernelRecord &record) {
  std::vector<Edit> edits;
  for (const CandidateRecord &candidate : record.candidates)
    if (candidate.chosen)
      llvm::append_range(edits, candidate.candidate.edits);
  return edits;
}

/// The kernel alone, parsed for the first architecture.
llvm::Expected<FileAnalysis> openKernel(const FileVersions &versions, const KernelRecord &record,
                                        std::string text) {
  FileRequest request = versions.requests.front();
  request.text = std::move(text);
  request.onlyKernel = record.name;
  request.wantResources = false;
  llvm::Expected<FileAnalysis> file = openFile(request);
  if (!file)
    return file.takeError();
  readDeclarations(*file, request, nullptr);
  if (file->kernels.size() != 1)
    return llvm::createStringError("'" + record.name + "' is not there when the file is parsed again");
  return file;
}

llvm::Expected<Verification> verify(const FileRequest &request, const FileAnalysis &before,
                                    const FileAnalysis &after) {
  llvm::Expected<std::unique_ptr<vdevice::Subject>> original = vdevice::Subject::create(before, request);
  if (!original)
    return original.takeError();
  llvm::Expected<std::unique_ptr<vdevice::Subject>> candidate = vdevice::Subject::create(after, request);
  if (!candidate)
    return candidate.takeError();
  llvm::Expected<std::unique_ptr<vdevice::OriginalKernel>> kernel =
      vdevice::OriginalKernel::prepare(**original, before.kernels.front(), vdevice::VerifyOptions());
  if (!kernel)
    return kernel.takeError();
  return vdevice::verifyPlan(**kernel, **candidate,
                             vdevice::planOf(before.kernels.front(), after.kernels.front()));
}

std::string describe(const Verification &verification) {
  if (verification.verdict.kind == Verdict::Kind::Accepted)
    return "the same on " + std::to_string(verification.shapes.size()) + " shapes, " +
           std::to_string(verification.runs) + " runs";
  return verification.verdict.reason + " [" + verification.code + "]";
}

} // namespace

llvm::Error verifyChosen(const FileJob &job, const FileVersions &versions, KernelRecord &record) {
  std::vector<Edit> edits = editsOf(record);
  if (edits.empty())
    return llvm::Error::success();
  llvm::Expected<std::string> text = applyEdits(versions.text(), edits);
  if (!text)
    return text.takeError();
  llvm::Expected<FileAnalysis> before = openKernel(versions, record, versions.text().str());
  if (!before)
    return before.takeError();
  llvm::Expected<FileAnalysis> after = openKernel(versions, record, std::move(*text));
  if (!after)
    return after.takeError();
  llvm::Expected<Verification> verification = verify(versions.requests.front(), *before, *after);
  if (!verification)
    return verification.takeError();
  Verdict verdict = {verification->verdict.kind, Stage, describe(*verification)};
  bool isUndecided = verdict.kind == Verdict::Kind::Undecided;
  if (verdict.kind == Verdict::Kind::Declined || (isUndecided && !job.acceptUndecided)) {
    keepOriginal(record, verdict);
    return llvm::Error::success();
  }
  for (CandidateRecord &candidate : record.candidates)
    if (candidate.chosen)
      candidate.verdicts.push_back(verdict);
  return llvm::Error::success();
}

} // namespace warpwright
