#include "clang_plugin/VerifyChosen.h"

#include "analysis/frontend/FrontEnd.h"
#include "feedback/Choose.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"
#include "rewriters/InterfaceChange.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *Stage = "virtual device";

/// The plan of the one candidate that changes the launch; null: the launch stays.
const LaunchPlan *changedPlan(llvm::ArrayRef<const Candidate *> set) {
  for (const Candidate *candidate : set)
    if (candidate->plan)
      return &*candidate->plan;
  return nullptr;
}

/// The kernel that has the edits: the copy where there is one.
std::string resultOf(llvm::ArrayRef<const Candidate *> set, const KernelRecord &record) {
  for (const Candidate *candidate : set)
    if (candidate->clone)
      return candidate->clone->name;
  return record.name;
}

/// What is compared: a kernel's name and the text of its file.
struct Side {
  std::string kernel;
  std::string text;
};

/// The kernel alone, parsed for one architecture.
llvm::Expected<FileAnalysis> openKernel(FileRequest request, const Side &side) {
  request.text = side.text;
  request.onlyKernel = side.kernel;
  request.wantResources = false;
  llvm::Expected<FileAnalysis> file = openFile(request);
  if (!file)
    return file.takeError();
  readDeclarations(*file, request, nullptr);
  if (file->kernels.size() != 1)
    return llvm::createStringError("'" + side.kernel + "' is not there when the file is parsed again");
  return file;
}

/// Both sides for one architecture.
struct Pair {
  std::unique_ptr<FileAnalysis> before, after;
  std::unique_ptr<vdevice::Subject> original, candidate;
};

llvm::Expected<Pair> openPair(const FileRequest &request, const Side &before, const Side &after) {
  Pair pair;
  auto open = [&](const Side &side, std::unique_ptr<FileAnalysis> &file,
                  std::unique_ptr<vdevice::Subject> &subject) -> llvm::Error {
    llvm::Expected<FileAnalysis> opened = openKernel(request, side);
    if (!opened)
      return opened.takeError();
    file = std::make_unique<FileAnalysis>(std::move(*opened));
    llvm::Expected<std::unique_ptr<vdevice::Subject>> made = vdevice::Subject::create(*file, request);
    if (!made)
      return made.takeError();
    subject = std::move(*made);
    return llvm::Error::success();
  };
  if (llvm::Error error = open(before, pair.before, pair.original))
    return std::move(error);
  if (llvm::Error error = open(after, pair.after, pair.candidate))
    return std::move(error);
  return pair;
}

llvm::Expected<Verification> verify(const Pair &pair, const LaunchPlan *plan) {
  const KernelAnalysis &before = pair.before->kernels.front(), &after = pair.after->kernels.front();
  llvm::Expected<std::unique_ptr<vdevice::OriginalKernel>> kernel =
      vdevice::OriginalKernel::prepare(*pair.original, before, vdevice::VerifyOptions());
  if (!kernel)
    return kernel.takeError();
  return vdevice::verifyPlan(**kernel, *pair.candidate, plan ? *plan : planOf(before, after));
}

/// On every architecture whose code is not that of one before.
llvm::Expected<Verification> verifyAll(const FileVersions &versions, const Side &before, const Side &after,
                                       const LaunchPlan *plan) {
  std::optional<Verification> all;
  std::vector<Pair> seen;
  for (const FileRequest &request : versions.requests) {
    llvm::Expected<Pair> pair = openPair(request, before, after);
    if (!pair)
      return pair.takeError();
    if (llvm::any_of(seen, [&](const Pair &known) {
          return pair->original->hasCodeOf(*known.original) && pair->candidate->hasCodeOf(*known.candidate);
        }))
      continue;
    llvm::Expected<Verification> verification = verify(*pair, plan);
    if (!verification)
      return verification.takeError();
    verification->architectures = {"sm_" + request.target.virtualArchitecture};
    if (all)
      addArchitecture(*all, *verification);
    else
      all = std::move(*verification);
    seen.push_back(std::move(*pair));
  }
  return std::move(*all);
}

std::string describe(const Verification &verification) {
  if (verification.verdict.kind == Verdict::Kind::Accepted)
    return "the same on " + std::to_string(verification.shapes.size()) + " shapes, " +
           std::to_string(verification.runs) + " runs";
  return verification.verdict.reason + " [" + verification.code + "]";
}

} // namespace

llvm::Expected<Verification> verifyCandidates(const FileVersions &versions, const KernelRecord &record,
                                              llvm::ArrayRef<const Candidate *> set) {
  llvm::Expected<std::string> text = applyCandidates(versions.text(), set);
  if (!text)
    return text.takeError();
  return verifyAll(versions, {record.name, versions.text().str()}, {resultOf(set, record), std::move(*text)},
                   changedPlan(set));
}

llvm::Error verifyChosen(const FileJob &job, const FileVersions &versions, KernelRecord &record) {
  std::vector<const Candidate *> set = chosenSet(record);
  if (set.empty())
    return llvm::Error::success();
  llvm::Expected<Verification> verification = verifyCandidates(versions, record, set);
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
