#pragma once

#include "clang_plugin/CommandLine.h"

#include <llvm/Support/raw_ostream.h>

#include <string>

namespace warpwright {

/// What a verb that works through several inputs keeps of how it went: the exit code that says most. Base of
/// the verbs' classes.
class ExitTally {
protected:
  /// Keeps the code if it is larger than what is kept: bad usage before undecided before findings.
  void note(ExitCode code) {
    if (static_cast<int>(code) > static_cast<int>(worst_))
      worst_ = code;
  }

  /// Tells the user, and notes the code, which is returned for `return fail(...)`.
  ExitCode fail(ExitCode code, const std::string &message) {
    llvm::errs() << "warpwright: error: " << message << '\n';
    note(code);
    return code;
  }

  ExitCode worst_ = ExitCode::Clean;
};

} // namespace warpwright
