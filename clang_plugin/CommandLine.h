#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <string>
#include <vector>

namespace warpwright {

/// Exit codes of every verb but `cc`, which returns nvcc's.
enum class ExitCode : int {
  Clean = 0,     ///< nothing to report, or the same
  Findings = 1,  ///< findings, or different
  Undecided = 2, ///< could not decide or check
  BadUsage = 3,  ///< the command line or an input is wrong
  ToolFault = 4  ///< a fault of the tool
};

/// A parsed command line. Options that were not given hold their type's empty value.
struct Options {
  std::string program; ///< path of this executable
  std::vector<std::string> operands;
  std::vector<std::string> compiler; ///< what followed `--`
#define WARPWRIGHT_OPTION(verbs, flag, Type, member, placeholder, help) Type member{};
#define WARPWRIGHT_HIDDEN_OPTION(verbs, flag, Type, member, placeholder, help) Type member{};
#include "clang_plugin/Options.def"
};

/// A row of the verb table.
struct Verb {
  const char *name;
  const char *operands;
  const char *help;
  ExitCode (*run)(const Options &);
};

/// All verbs, sorted by name.
llvm::ArrayRef<Verb> verbs();

/// Parses the arguments and runs the verb they name. Everything after the first `--` goes to
/// Options::compiler as it is.
int runCommandLine(int argc, char **argv);

} // namespace warpwright
