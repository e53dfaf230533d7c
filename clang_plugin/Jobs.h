#pragma once

#include "analysis/Launch.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Pipeline.h"

#include <llvm/Support/Error.h>

namespace warpwright {

/// The job for one file named on the command line: nvcc's flags come from the compile database where one is
/// given, else from what followed `--`.
llvm::Expected<FileJob> makeJob(const std::string &file, const Options &options);

/// The launches that a file lists.
llvm::Expected<std::vector<Launch>> readLaunches(const std::string &path);

/// Where precompiled headers go: the option's folder, "" for "none", else the user's cache folder.
std::string cacheDirectory(const Options &options);

/// Writes a whole file under its name or not at all: beside it first, then renamed.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

/// Writes to --output, or to standard output where none is given.
llvm::Error writeOutput(const Options &options, llvm::StringRef text);

} // namespace warpwright
