#include "clang_plugin/JudgeCandidates.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Whether all that the set claims is fewer bank conflicts, and none is left. Other claims have no end that
/// could be reached.
bool isOptimal(llvm::ArrayRef<const Candidate *> set, llvm::ArrayRef<FileAnalysis> files) {
  auto isConflictFree = [&](const Claim &claim) {
    return claim.id == "fewer-bank-conflicts" && llvm::all_of(files, [&](const FileAnalysis &file) {
             return file.kernels.front().isConflictFree(claim.subject);
           });
  };
  return llvm::all_of(set, [&](const Candidate *candidate) {
    return !candidate->claims.empty() && llvm::all_of(candidate->claims, isConflictFree);
  });
}

/// Better on each architecture; else the verdict of the first that says otherwise.
Verdict judgeAll(llvm::ArrayRef<Prediction> against, llvm::ArrayRef<Prediction> predictions) {
  Verdict verdict;
  for (size_t i = 0; i < against.size(); ++i) {
    verdict = judgeDominance(against[i], predictions[i]);
    if (verdict.kind != Verdict::Kind::Accepted)
      break;
  }
  return verdict;
}

} // namespace

Screening CandidateJudge::start(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set) const {
  const KernelAnalysis &original = *versions_.of(record.key).front();
  bool hasOwnLimit = original.annotation && original.annotation->maxRegisters;
  unsigned limit = hasOwnLimit ? original.annotation->maxRegisters->count : maxRegisters_;
  return Screening::start(versions_.requests, versions_.text(), original, set, limit);
}

llvm::Expected<Judgement> CandidateJudge::finish(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                                 llvm::ArrayRef<Prediction> against) const {
  llvm::Expected<Screened> screened = screening.finish();
  if (!screened)
    return screened.takeError();
  Judgement judgement;
  judgement.verdict = std::move(screened->verdict);
  for (const FileAnalysis &file : screened->files)
    judgement.predictions.push_back(predict(file.kernels.front()));
  if (judgement.verdict.kind != Verdict::Kind::Accepted)
    return judgement;
  judgement.verdict = judgeAll(against, judgement.predictions);
  judgement.optimal = isOptimal(set, screened->files);
  return judgement;
}

} // namespace warpwright
