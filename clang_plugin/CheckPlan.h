#pragma once

#include "clang_plugin/CheckFile.h"
#include "clang_plugin/CommandLine.h"
#include "feedback/gate/Checked.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// Where a project's policy and baseline lie, and from where paths are named: the nearest folder, from the
/// current one up, that holds a policy or a baseline; else the repository's; else the current one.
std::string findProjectRoot();

/// What a check has to look at.
struct CheckPlan {
  std::vector<CheckJob> jobs;          ///< one a command; a file may have several
  std::vector<CheckedFile> impossible; ///< files that no command could be made for, with the reason
  bool whole = false;                  ///< all files of a compile database
};

/// The jobs of the command line: of its files, or of the whole compile database. An error is one of the
/// command line as such.
llvm::Expected<CheckPlan> planCheck(const Options &options, const Policy &policy);

} // namespace warpwright
