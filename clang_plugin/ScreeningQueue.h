#pragma once

#include "clang_plugin/JudgeCandidates.h"

#include <optional>
#include <vector>

namespace warpwright {

/// The candidates of a file in the order in which they are judged alone. While one is analysed, nvcc works on
/// the next.
class ScreeningQueue {
public:
  /// Both are borrowed; the records keep their candidates in place while the queue lives.
  ScreeningQueue(const CandidateJudge &judge, llvm::MutableArrayRef<KernelRecord> records);

  /// Gives every candidate a verdict. Where one point of a rewriter's parameter space leaves nothing to gain,
  /// its alternatives are declined unseen.
  llvm::Error run();

private:
  /// A candidate, and its screening once nvcc was started on it.
  struct Waiting {
    KernelRecord *record;
    CandidateRecord *candidate;
    std::optional<Screening> screening;

    bool isJudged() const { return !candidate->verdicts.empty(); }
    /// The same change to the same thing at another point of the parameter space.
    bool alternativeTo(const Waiting &other) const;
  };

  void start(Waiting &waiting) const;
  void startNext(size_t current);
  llvm::Error judgeOne(size_t current);
  void skipAlternatives(size_t current);

  const CandidateJudge &judge_;
  std::vector<Waiting> queue_;
};

} // namespace warpwright
