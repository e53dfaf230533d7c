#pragma once

#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/FileVersions.h"
#include "clang_plugin/Pipeline.h"
#include "feedback/gate/Checked.h"

namespace warpwright {

/// A compile of one file, as the gate looks at it.
struct CheckJob {
  FileJob job;
  std::string toolkit; ///< version
  /// Whether the report shows what would answer a finding. Looking for that takes longer than all facts of the
  /// kernel where a rewriter interprets loops.
  bool wantFixes = true;
};

/// Facts, findings and resources of every kernel of a file, on every architecture of its command. Whatever
/// keeps a part of it from being checked is a problem of the result.
CheckedFile checkFile(const CheckJob &check);

/// The same of a file that is parsed already.
CheckedFile checkVersions(const CheckJob &check, FileVersions &versions);

/// The result where there is no parse.
CheckedFile problemOf(const CheckJob &check, llvm::Error error);

/// A name in a command as an absolute one without dots.
std::string absolutePath(llvm::StringRef path, llvm::StringRef directory);

/// The front end's request for the job's file on one of its targets.
ParseRequest parseRequestOf(const FileJob &job, const NvccTarget &target);

} // namespace warpwright
