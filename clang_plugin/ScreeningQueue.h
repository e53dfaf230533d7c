#pragma once

#include "clang_plugin/JudgeCandidates.h"

#include <deque>
#include <optional>
#include <vector>

namespace warpwright {

/// The candidates of a file in the order in which they are judged alone. nvcc works on those whose counts
/// pass while the next are counted.
class ScreeningQueue {
public:
  /// Both are borrowed; the records keep their candidates in place while the queue lives.
  ScreeningQueue(const CandidateJudge &judge, llvm::MutableArrayRef<KernelRecord> records,
                 bool skipAlternatives);

  /// Gives every candidate a verdict that has none. Where one point of a rewriter's parameter space leaves
  /// nothing to gain, its alternatives are declined unseen, if that was asked for.
  llvm::Error run();

private:
  struct Waiting {
    KernelRecord *record;
    CandidateRecord *candidate;
    std::optional<Screening> screening; ///< while nvcc works on it
    bool optimal = false;               ///< by its counts

    bool isJudged() const { return !candidate->verdicts.empty(); }
    /// The same change to the same thing at another point of the parameter space.
    bool alternativeTo(const Waiting &other) const;
  };

  /// Compilers under way at most, each with the parsed file of its candidate in memory.
  static constexpr size_t compilers = 2;

  void leaveRest();
  llvm::Error count(Waiting &waiting);
  void finishOldest();
  void take(Waiting &waiting, Judgement judgement);
  void skipAlternatives(const Waiting &best);
  bool mayBeNeedless(const Waiting &waiting) const;

  const CandidateJudge &judge_;
  bool skipsAlternatives_;
  std::vector<Waiting> queue_;
  std::deque<Waiting *> compiling_; ///< oldest first
};

} // namespace warpwright
