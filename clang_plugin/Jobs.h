#pragma once

#include "analysis/Launch.h"
#include "analysis/frontend/CompileDatabase.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Pipeline.h"

#include <llvm/Support/Error.h>

namespace warpwright {

/// The job for one file named on the command line: nvcc's flags come from the compile database where one is
/// given, else from what followed `--`.
llvm::Expected<FileJob> makeJob(const std::string &file, const Options &options);

/// The jobs for all commands that a compile database has for a file, each with the toolkit of its own
/// compiler; equal ones once. Errors as above, and where a command is Clang's.
llvm::Expected<std::vector<FileJob>> makeJobs(const std::string &file, const Options &options,
                                              const CompileDatabase &database);

/// The launches that a file lists.
llvm::Expected<std::vector<Launch>> readLaunches(const std::string &path);

/// Where precompiled headers go: the option's folder, "" for "none", else the user's cache folder.
std::string cacheDirectory(const Options &options);

/// Takes what an option names into the job: limits, the policy. An error is a policy that cannot be obeyed.
llvm::Error applyOptions(const Options &options, FileJob &job);

/// Takes the lock that an option names into the job. Nothing is measured in a compile, so that a lock that
/// does not help costs a better choice, not a right one: it is a remark of the job.
void openLock(const Options &options, FileJob &job);

/// Understands a command line of nvcc; `-arch=native` is what the toolkit finds in this machine.
llvm::Expected<NvccInvocation> understandCommand(llvm::ArrayRef<std::string> arguments,
                                                 llvm::StringRef directory, const Toolkit &toolkit);

/// Writes to --output, or to standard output where none is given.
llvm::Error writeOutput(const Options &options, llvm::StringRef text);

} // namespace warpwright
