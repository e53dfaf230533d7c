#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace warpwright {

/// What a program printed, and how it ended.
struct Captured {
  int code = 0; ///< its exit code; negative where a signal ended it
  std::string output;
  std::string errors;
};

/// Runs a program to its end and keeps what it prints. The first word is looked up in PATH. An error where it
/// cannot be started.
llvm::Expected<Captured> capture(llvm::ArrayRef<std::string> command);

} // namespace warpwright
