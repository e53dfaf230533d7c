#pragma once

#include "analysis/FileAnalysis.h"
#include "rewriters/Candidate.h"
#include "rewriters/Verdict.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <vector>

namespace warpwright {

/// A set of edits to one kernel after it went through the front end and ptxas again.
struct Screened {
  Verdict verdict;                 ///< accepted: the analyses below are of use
  std::vector<FileAnalysis> files; ///< one an architecture, with the one kernel that was edited
};

/// The net's cheap part: the edits apply, the result parses on every architecture, the kernel is still there
/// with its signature and annotation, what the edits claim shows in its facts, registers stay within a limit,
/// ptxas takes it. Facts, counts and
/// resources of the result come back with the verdict.
///
/// nvcc runs from start() on, so that it works on one set of edits while another is analysed; a screening
/// that goes before it was finished ends its nvcc.
class Screening {
public:
  /// `requests` are the original's, one an architecture; `original`, which is borrowed, its kernel on the
  /// first of them. The set is made as one. `maxRegisters` a thread, 0: any.
  static Screening start(llvm::ArrayRef<FileRequest> requests, llvm::StringRef originalText,
                         const KernelAnalysis &original, llvm::ArrayRef<const Candidate *> set,
                         unsigned maxRegisters);

  /// Once only. An error is a fault of the tool or of the machine (nvcc cannot be started), never of the
  /// candidate.
  llvm::Expected<Screened> finish();

private:
  Screening(const KernelAnalysis &original, std::vector<Claim> claims, unsigned maxRegisters)
      : original_(&original), claims_(std::move(claims)), maxRegisters_(maxRegisters) {}
  llvm::Expected<Verdict> analyse(const FileRequest &request, FileAnalysis file, Screened &screened);

  const KernelAnalysis *original_;
  std::vector<Claim> claims_;
  unsigned maxRegisters_;
  std::optional<Verdict> failed_; ///< the edits could not be made
  std::vector<FileRequest> requests_;
  std::vector<FileAnalysis> started_; ///< the same order
};

} // namespace warpwright
