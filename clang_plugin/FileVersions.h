#pragma once

#include "analysis/FileAnalysis.h"
#include "clang_plugin/Pipeline.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <vector>

namespace warpwright {

/// One file as each architecture of its command sees it; code under `#if __CUDA_ARCH__` makes them differ.
struct FileVersions {
  std::vector<FileRequest> requests; ///< one an architecture, never empty
  std::vector<FileAnalysis> files;   ///< the same order

  /// The kernel's analysis on each architecture that has it, in their order.
  std::vector<const KernelAnalysis *> of(llvm::StringRef key) const;
  /// Whether no architecture lacks the kernel: only then may its text change.
  bool haveAll(llvm::StringRef key) const { return of(key).size() == files.size(); }
  /// The file as the front end read it.
  llvm::StringRef text() const;
};

/// Parses the job's file once an architecture; nvcc is started beside it. Errors as of parseTranslationUnit.
llvm::Expected<FileVersions> openVersions(const FileJob &job);

} // namespace warpwright
