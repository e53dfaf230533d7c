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

/// The rules that can be accepted, beyond those of Analyses.def: a metric that got worse or is over its limit
/// is `limit-<metric>`, with dashes.
bool isAcceptableRule(llvm::StringRef id);
/// "limit-spill-bytes".
std::string limitRule(Metric metric);

} // namespace warpwright
