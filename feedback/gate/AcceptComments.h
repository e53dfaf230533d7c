#pragma once

#include "feedback/gate/Checked.h"

namespace warpwright {

/// Reads every `// warpwright: accept(<rule>, ... [until <date>]) <reason>` of a file's text. One that stands
/// alone on its line speaks of the first line below that is no comment. A mistake (no such rule, no reason,
/// no such date) goes to `problems`, and the comment accepts nothing. The words inside of a string literal,
/// which tests of ours have, count as well: nobody else writes them.
std::vector<AcceptComment> readAcceptComments(const std::string &path, llvm::StringRef text,
                                              std::vector<CheckProblem> &problems);

/// Whether the text is a date of the calendar, as "2027-01-31".
bool isDate(llvm::StringRef text);

/// The rules that can be accepted: those of Analyses.def, `stale-lock`, and `limit-<metric>`, with dashes,
/// for a metric that got worse or is over its limit.
bool isAcceptableRule(llvm::StringRef id);
/// A lock's entry for a kernel does not hold for this build any more. Not of Analyses.def, as it is nothing
/// of the code.
inline constexpr const char *staleLockRule = "stale-lock";
/// "limit-spill-bytes".
std::string limitRule(Metric metric);

} // namespace warpwright
