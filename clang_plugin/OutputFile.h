#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace warpwright {

/// Writes a whole file under its name or not at all: beside it first, as `<path>.temporary-<process>`, then
/// renamed. Every byte is checked, so that a full disk is an error that leaves the old file. Temporaries of
/// processes that are gone are removed. What is no regular file (a device, a pipe) is written to directly.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

/// To standard output, checked.
llvm::Error writeToStandardOutput(llvm::StringRef text);

} // namespace warpwright
