#include "clang_plugin/JudgeCandidates.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Whether no access collides any more to a shared variable that a candidate of the set is about. A set
/// without such a candidate has no end that could be reached.
bool isOptimal(llvm::ArrayRef<const Candidate *> set, llvm::ArrayRef<FileAnalysis> files) {
  return llvm::all_of(set, [&](const Candidate *candidate) {
    return !candidate->sharedSymbol.empty() && llvm::all_of(files, [&](const FileAnalysis &file) {
      return file.kernels.front().isConflictFree(candidate->sharedSymbol);
    });
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
  std::vector<Edit> edits;
  for (const Candidate *candidate : set)
    llvm::append_range(edits, candidate->edits);
  const KernelAnalysis &original = *versions_.of(record.key).front();
  bool hasOwnLimit = original.annotation && original.annotation->maxRegisters;
  unsigned limit = hasOwnLimit ? original.annotation->maxRegisters->count : maxRegisters_;
  return Screening::start(versions_.requests, versions_.text(), original, edits, limit);
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
