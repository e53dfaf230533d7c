#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Choose.h"
#include "feedback/Evidence.h"
#include "rewriters/prescreen/PreScreen.h"

namespace warpwright {

/// Screens sets of candidates of one file's kernels and compares what comes out with predictions.
class CandidateJudge {
public:
  /// `versions` are borrowed. `maxRegisters` a thread, 0: any; an annotation's limit goes before it.
  CandidateJudge(const FileVersions &versions, unsigned maxRegisters)
      : versions_(versions), maxRegisters_(maxRegisters) {}

  /// Makes the edits of the set; nothing runs yet.
  Screening edit(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set) const;

  /// The same for the next step of a sequence: its claims are held against `base`, what the steps before it
  /// made of the kernel. Borrowed until it is finished.
  Screening editOn(const KernelAnalysis &base, const KernelRecord &record,
                   llvm::ArrayRef<const Candidate *> set) const;

  /// Front end, counts, and what they alone say against the predictions given, one an architecture. Where
  /// that is nothing, accepted, and nvcc was started.
  llvm::Expected<Judgement> count(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                  llvm::ArrayRef<Prediction> against) const;

  /// What ptxas says, and strict dominance over `against`. For a set that count() accepted.
  Judgement finish(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                   llvm::ArrayRef<Prediction> against) const;

  /// What is left of a set whose edits were made: counts, and where they leave it in, the rest.
  llvm::Expected<Judgement> judge(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                  llvm::ArrayRef<Prediction> against) const;

  /// All three.
  llvm::Expected<Judgement> judge(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set,
                                  llvm::ArrayRef<Prediction> against) const;

private:
  const FileVersions &versions_;
  unsigned maxRegisters_;
};

} // namespace warpwright
