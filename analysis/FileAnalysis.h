#pragma once

#include "analysis/KernelAnalysis.h"
#include "analysis/TemporaryFolder.h"
#include "analysis/frontend/NvccInvocation.h"
#include "analysis/frontend/Toolkit.h"
#include "analysis/frontend/TranslationUnit.h"
#include "analysis/ptxas/ResourceCompile.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class DiagnosticConsumer;
}

namespace warpwright {

/// One file to analyse for one of the architectures of its command.
struct FileRequest {
  std::string file;                ///< as the command names it
  std::optional<std::string> text; ///< instead of what the file holds
  NvccInvocation invocation;       ///< the command it is compiled with
  NvccTarget target;               ///< one of the invocation's
  Toolkit toolkit;
  std::string cacheDirectory;      ///< for precompiled headers; empty: none
  std::string temporaryDirectory;  ///< where temporary folders are made; empty: the system's
  bool wantResources = true;       ///< ask nvcc for registers, spills and code size
  std::string onlyKernel;          ///< analyse this one alone, by its printed name; empty: all
  bool countShapes = true;         ///< count the annotated shapes, or a supposed launch
  bool annotateEverything = false; ///< for tests: presumeAnnotation() where a kernel has none
};

/// The targets to analyse a command for: its images of machine code, each architecture once; where it makes
/// PTX alone, the machine code that a device of the same number would make of it.
std::vector<NvccTarget> analysisTargets(const NvccInvocation &invocation);

/// The kernels of a file and the parse they came from, for one architecture.
struct FileAnalysis {
  std::unique_ptr<TranslationUnit> unit;
  std::vector<KernelAnalysis> kernels;
  size_t allKernels = 0;                    ///< that the file has, those included that were not asked for
  std::optional<ResourceCompile> resources; ///< nvcc, under way until facts are collected
  std::string resourcesNote;                ///< why nvcc was not started
  std::optional<TemporaryFolder>
      scratch; ///< holds the text that nvcc compiles where it is not the file itself
};

/// Starts nvcc where resources are wanted, and nothing else: it runs beside whatever this process does until
/// the facts are collected. A failure to start is noted in the result.
FileAnalysis startFile(const FileRequest &request);

/// Parses a file that was started and lists its kernels; facts are still to be collected. Errors as of
/// parseTranslationUnit.
llvm::Error parseFile(FileAnalysis &file, const FileRequest &request);

/// Starts and parses.
llvm::Expected<FileAnalysis> openFile(const FileRequest &request);

/// What the source says of every kernel: its annotation, and its launches in this file. Part of
/// collectFacts().
void readDeclarations(FileAnalysis &file, const FileRequest &request, clang::DiagnosticConsumer *diagnostics);

/// Annotations, facts and counts of every kernel: all that needs no nvcc. Mistakes in annotations go to
/// `diagnostics` where it is not null.
llvm::Error collectCounts(FileAnalysis &file, const FileRequest &request,
                          clang::DiagnosticConsumer *diagnostics);

/// Those and the resources, which are waited for. Mistakes in annotations go to `diagnostics`
/// where it is not null.
llvm::Error collectFacts(FileAnalysis &file, const FileRequest &request,
                         clang::DiagnosticConsumer *diagnostics);

/// Front end, facts, launches, resources and findings of one file. As the functions above.
llvm::Expected<FileAnalysis> analyseFile(const FileRequest &request, clang::DiagnosticConsumer *diagnostics);

} // namespace warpwright
