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

  /// Starts nvcc on the edits of the set, for every architecture.
  Screening start(const KernelRecord &record, llvm::ArrayRef<const Candidate *> set) const;

  /// The rest: front end, ptxas, and strict dominance over `against`, one an architecture. The set is the one
  /// that was started.
  llvm::Expected<Judgement> finish(Screening &screening, llvm::ArrayRef<const Candidate *> set,
                                   llvm::ArrayRef<Prediction> against) const;

private:
  const FileVersions &versions_;
  unsigned maxRegisters_;
};

} // namespace warpwright
