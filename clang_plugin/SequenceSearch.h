#pragma once

#include "clang_plugin/JudgeCandidates.h"
#include "feedback/Policy.h"

#include <llvm/ADT/ArrayRef.h>

#include <set>

namespace warpwright {

/// Leaves a record the candidates alone that one of the sequences begins with, those of the points named.
void keepFirstSteps(llvm::ArrayRef<std::vector<RewriteStep>> sequences, KernelRecord &record);

/// Declines single steps unseen beyond `most`, the later points of each parameter space first, so that a wide
/// search has room for sequences.
void leaveRoom(KernelRecord &record, size_t most);

/// Goes on from candidates: one is applied, the file is parsed and analysed anew, rewriters are asked about
/// the result, and what they propose is judged together with what came before it, as one candidate.
class SequenceSearch {
public:
  /// All are borrowed.
  SequenceSearch(const FileVersions &versions, const CandidateJudge &judge, const Policy &policy)
      : versions_(versions), judge_(&judge), policy_(policy) {}
  /// For what was judged in an earlier run: sequences are put together and not looked at again.
  SequenceSearch(const FileVersions &versions, const Policy &policy)
      : versions_(versions), judge_(nullptr), policy_(policy) {}

  /// Adds sequences to a record whose single steps were judged: on the best step that changes the launch, by
  /// the model, each rewriter that has something to say. Bounded for a build step.
  llvm::Error extend(KernelRecord &record) const;

  /// The same for a search that measures: on the first points of every rewriter of Sequences.def, the best by
  /// the model first, those that follow it there, until the record holds `most` candidates that may be
  /// measured.
  llvm::Error extendWide(KernelRecord &record, size_t most) const;

  /// Adds the one sequence of these steps, each with at least these parameters, and those that lead to it;
  /// its first step must be among the record's candidates. Where a step is not proposed, the reason. A
  /// step with a subject is of that one, and has these parameters alone.
  llvm::Expected<std::string> apply(llvm::ArrayRef<RewriteStep> steps, KernelRecord &record) const;

private:
  std::optional<size_t> bestBase(const KernelRecord &record, size_t depth) const;
  std::optional<size_t> nextBase(const KernelRecord &record, const std::set<size_t> &extended) const;
  llvm::Expected<FileVersions> open(const Candidate &base, const KernelRecord &record,
                                    bool wantResources) const;
  /// `chosen` picks from what is proposed on the base; some rewriters ask what ptxas says of it.
  using Choose = llvm::function_ref<std::vector<const Candidate *>(const KernelRecord &proposed)>;
  llvm::Error goOnFrom(size_t base, KernelRecord &record, Choose chosen, bool wantResources) const;

  const FileVersions &versions_;
  const CandidateJudge *judge_; ///< null: nothing is judged
  const Policy &policy_;
};

} // namespace warpwright
