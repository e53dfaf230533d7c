#pragma once

#include "clang_plugin/JudgeCandidates.h"
#include "feedback/Policy.h"

namespace warpwright {

/// Goes on from the best step that changes a kernel's launch: it is applied, the file is parsed and analysed
/// anew, every rewriter is asked about the copy, and what it proposes is judged together with what came
/// before it, as one candidate. Bounded in depth and number: a build step looks at the few best, `tune`
/// searches wide.
class SequenceSearch {
public:
  /// All are borrowed.
  SequenceSearch(const FileVersions &versions, const CandidateJudge &judge, const Policy &policy)
      : versions_(versions), judge_(judge), policy_(policy) {}

  /// Adds sequences to a record whose single steps were judged.
  llvm::Error extend(KernelRecord &record) const;

private:
  std::optional<size_t> bestBase(const KernelRecord &record, size_t depth) const;
  llvm::Expected<FileVersions> apply(const Candidate &base) const;
  llvm::Error goOnFrom(size_t base, KernelRecord &record) const;

  const FileVersions &versions_;
  const CandidateJudge &judge_;
  const Policy &policy_;
};

} // namespace warpwright
