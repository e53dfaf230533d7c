#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace warpwright {

/// Runs a program with our standard streams and returns its exit code (128 and the signal's number when it
/// was killed). The first word is looked up in PATH. An error when it cannot be started.
llvm::Expected<int> runProgram(llvm::ArrayRef<std::string> command);

} // namespace warpwright
