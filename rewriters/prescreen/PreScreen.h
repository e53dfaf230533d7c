#pragma once

#include "analysis/FileAnalysis.h"
#include "rewriters/Candidate.h"
#include "rewriters/Verdict.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// A set of edits to one kernel after it went through the front end and ptxas again.
struct Screened {
  Verdict verdict;                 ///< accepted: the analyses below are of use
  std::vector<FileAnalysis> files; ///< one an architecture, with the one kernel that was edited
};

/// The net's cheap part: the edits apply, the result parses on every architecture, the kernel is still there
/// with its signature and annotation, registers stay within `maxRegisters` (0: any), ptxas takes it. Facts,
/// counts and resources of the result come back with the verdict. `requests` are the original's, one an
/// architecture. An error is a fault of the tool or of the machine (nvcc cannot be started), never of the
/// candidate.
llvm::Expected<Screened> preScreen(llvm::ArrayRef<FileRequest> requests, llvm::StringRef originalText,
                                   const KernelAnalysis &original, llvm::ArrayRef<Edit> edits,
                                   unsigned maxRegisters);

} // namespace warpwright
