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

/// What `judge` says on each architecture; the verdict of the first that does not accept.
Verdict judgeAll(Verdict (*judge)(const Prediction &, const Prediction &), llvm::ArrayRef<Prediction> against,
                 llvm::ArrayRef<Prediction> predictions) {
  Verdict verdict;
  for (size_t i = 0; i < against.size(); ++i) {
    verdict = judge(against[i], predictions[i]);
    if (verdict.kind != Verdict::Kind::Accepted)
      break;
  }
  return verdict;
}

Judgement describe(Verdict verdict, const Screening &screening, llvm::ArrayRef<const Candidate *> set) {
  Judgement judgement;
  judgement.verdict = std::move(verdict);
  for (const FileAnalysis &file : screening.files())
    judgement.predictions.push_back(predict(file.kernels.front()));
  judgement.optimal = judgement.verdict.kind == Verdict::Kind::Accepted && isOptimal(set, screening.files());
  return judgement;
}

} // namespace

Screening CandidateJudge::edit(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set) const {
  return editOn(*versions_.of(record.key).front(), record, set);
}

Screening CandidateJudge::editOn(const KernelAnalysis &base, const KernelRecord &record,
                                 llvm::ArrayRef<const Candidate *> set) const {
  const KernelAnalysis &original = *versions_.of(record.key).front();
  bool hasOwnLimit = original.annotation && original.annotation->maxRegisters;
  unsigned limit = hasOwnLimit ? original.annotation->maxRegisters->count : maxRegisters_;
  return Screening(versions_.requests, versions_.text(), base, set, limit);
}

llvm::Expected<Judgement> CandidateJudge::count(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                                llvm::ArrayRef<Prediction> against) const {
  llvm::Expected<Verdict> verdict = screening.count();
  if (!verdict)
    return verdict.takeError();
  Judgement judgement = describe(std::move(*verdict), screening, set);
  if (judgement.verdict.kind != Verdict::Kind::Accepted)
    return judgement;
  judgement.verdict = judgeAll(judgeCounts, against, judgement.predictions);
  if (judgement.verdict.kind == Verdict::Kind::Accepted)
    screening.startResources();
  return judgement;
}

Judgement CandidateJudge::finish(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                 llvm::ArrayRef<Prediction> against) const {
  Judgement judgement = describe(screening.finish(), screening, set);
  if (judgement.verdict.kind == Verdict::Kind::Accepted)
    judgement.verdict = judgeAll(judgeDominance, against, judgement.predictions);
  return judgement;
}

llvm::Expected<Judgement> CandidateJudge::judge(const KernelRecord &record,
                                                llvm::ArrayRef<const Candidate *> set,
                                                llvm::ArrayRef<Prediction> against) const {
  Screening screening = edit(record, set);
  return judge(screening, set, against);
}

llvm::Expected<Judgement> CandidateJudge::judge(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                                llvm::ArrayRef<Prediction> against) const {
  llvm::Expected<Judgement> judgement = count(screening, set, against);
  if (!judgement || judgement->verdict.kind != Verdict::Kind::Accepted)
    return judgement;
  return finish(screening, set, against);
}

} // namespace warpwright
