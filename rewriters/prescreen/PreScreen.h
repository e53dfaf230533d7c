#pragma once

#include "analysis/FileAnalysis.h"
#include "rewriters/Candidate.h"
#include "rewriters/Verdict.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <vector>

namespace warpwright {

/// The net's cheap part: the edits apply, the result parses on every architecture, the kernel is still there
/// with its signature and annotation, what the edits claim shows in its facts, registers stay within a limit,
/// ptxas takes it. Facts, counts and resources of the result come back with the verdict.
///
/// It goes in two steps, since nvcc costs more than all the rest: many a set is out by what was counted, and
/// need not be compiled. A screening that goes before it was finished ends its nvcc.
class Screening {
public:
  /// Makes the edits. `requests` are the original's, one an architecture; `original`, which is borrowed, its
  /// kernel on the first of them, or, of a sequence, what the steps before the last made of it. The set is
  /// made as one. `maxRegisters` a thread, 0: any.
  Screening(llvm::ArrayRef<FileRequest> requests, llvm::StringRef originalText,
            const KernelAnalysis &original, llvm::ArrayRef<const Candidate *> set, unsigned maxRegisters);

  /// All that needs no nvcc. Once only, and first. An error is a fault of the tool or of the machine, never
  /// of the candidate.
  llvm::Expected<Verdict> count();

  /// What was counted, an architecture each; fewer where a verdict came before.
  llvm::ArrayRef<FileAnalysis> files() const { return files_; }

  /// Lets nvcc work on the result from here on. For a set that count() accepted.
  void startResources();

  /// Waits for nvcc. For a set on which it was started; once only.
  Verdict finish();

private:
  llvm::Expected<Verdict> countOn(const FileRequest &request);

  const KernelAnalysis *original_;
  unsigned maxRegisters_;
  bool launchChanges_ = false;
  std::vector<Claim> claims_;
  std::optional<Verdict> failed_; ///< the edits could not be made
  std::vector<FileRequest> requests_;
  std::vector<FileAnalysis> files_; ///< the same order, each with the one kernel that was edited
};

} // namespace warpwright
