#pragma once

#include "feedback/evaluators/virtual/verify/OriginalKernel.h"
#include "feedback/evaluators/virtual/verify/Verification.h"

#include <utility>
#include <vector>

namespace warpwright::vdevice {

/// Holds runs of a candidate against those of the original, and writes what is found into a verification.
/// The first difference decides; runs that come after it are not to be asked about.
class RunJudge {
public:
  /// Both outlive this. The verification is accepted until something is found.
  RunJudge(OriginalKernel &original, Verification &result);

  bool isOpen() const { return result_.verdict.kind == Verdict::Kind::Accepted; }
  void decide(Verdict::Kind kind, std::string code, std::string reason);
  void decline(std::string code, std::string reason) {
    decide(Verdict::Kind::Declined, std::move(code), std::move(reason));
  }

  /// What follows are runs on that shape.
  void beginShape(size_t shape);
  /// One run of both. The same inputs in ascending order of blocks come before those in others. The request
  /// is what the candidate was run with, and may be run again. Errors are faults of the tool.
  llvm::Error judge(const InputCase &input, const OriginalRun &original, RunResult got,
                    const RunRequest &request);
  /// After all runs: errors that point one way, and what is worth knowing.
  void judgeWhole();

private:
  bool judgeFaults(const InputCase &input, const OriginalRun &original, const RunResult &got);
  llvm::Error compare(const InputCase &input, const OriginalRun &original, const RunResult &got,
                      const RunRequest &request);
  llvm::Error compareReordered(const InputCase &input, const OriginalRun &original, const RunResult &got,
                               const RunRequest &request);
  llvm::Error judgeMoved(const InputCase &input, size_t i, BufferComparison comparison, bool originalMoves,
                         const RunRequest &request);
  void compareVariables(const InputCase &input, const RunResult &original, const RunResult &got);
  BufferComparison compareBuffer(size_t i, const OriginalRun &original, llvm::ArrayRef<uint8_t> expected,
                                 llvm::ArrayRef<uint8_t> got, const Tolerance &tolerance) const;
  llvm::Expected<BufferComparison> compareTwice(size_t i, const InputCase &input, const OriginalRun &original,
                                                const RunResult &got);
  llvm::Error differs(const InputCase &input, size_t i, const BufferComparison &comparison,
                      const RunRequest &request);
  const RunResult *ascendingRun(const InputCase &input) const;
  Counterexample exampleOf(const InputCase &input) const;
  void noteReference(const OriginalRun &original);

  OriginalKernel &original_;
  Verification &result_;
  std::vector<Tolerance> tolerances_; ///< by pointer
  std::vector<bool> moves_;           ///< by pointer: the result was not the same in all orders
  size_t shape_ = 0;
  std::vector<std::pair<InputCase, RunResult>> ascending_; ///< the candidate's runs on this shape
  bool hasNoReference_ = false;
};

} // namespace warpwright::vdevice
