#pragma once

#include "analysis/FileAnalysis.h"
#include "feedback/Evidence.h"
#include "feedback/Policy.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpwright {

class Calibration;
struct LockFile;
class Tuner;

/// One file of a build and how it is to be treated.
struct FileJob {
  std::string file; ///< as the command names it
  NvccInvocation invocation;
  Toolkit toolkit;
  std::string cacheDirectory;     ///< for precompiled headers; empty: none
  std::string generatedPath;      ///< where a rewritten source will lie, for its `#line` directives
  std::string temporaryDirectory; ///< where temporary files go; empty: the system's folder
  std::string mode = "static";    ///< "check" stops after the findings
  Policy policy;
  std::vector<std::vector<RewriteStep>> sequences; ///< considered alone; empty: what is found
  std::shared_ptr<const LockFile> lock;            ///< whose fresh entries choose; null: none
  std::shared_ptr<const Calibration> calibration;  ///< that confidences of findings come from; null: none
  size_t mostMeasured = 40;        ///< candidates of a kernel that are compiled to be measured
  Tuner *tuner = nullptr;          ///< chooses by measurement instead of by facts
  std::vector<Remark> remarks;     ///< of the command itself, to be handed on
  bool annotateEverything = false; ///< for tests
  bool verify = true;              ///< nothing is chosen that the virtual device has not seen
  bool acceptUndecided = false;    ///< what it can say nothing of may be chosen
  bool wantCandidates = false;     ///< the source of each candidate, too
  bool chooseAny = false;          ///< for tests: take candidates as they are proposed, good or bad
};

/// A file with one candidate in it.
struct CandidateSource {
  std::string kernel;
  std::string candidate; ///< as Candidate::name() says it
  std::string text;
};

struct FileOutcome {
  FileRecord record;
  std::optional<std::string> rewritten;    ///< the source to compile instead; nothing: the original
  std::vector<CandidateSource> candidates; ///< where they are wanted
  unsigned annotationMistakes = 0;
  std::vector<std::pair<std::string, double>> seconds; ///< wall time of each step, in order
};

/// The whole way of one file, from the command that compiles it to the source that is compiled in its place.
/// Mistakes in annotations go to `diagnostics`. A file that does not parse is an outcome with a remark, not
/// an error; an error means that the tool or the machine failed.
llvm::Expected<FileOutcome> runPipeline(const FileJob &job, clang::DiagnosticConsumer &diagnostics);

} // namespace warpwright
