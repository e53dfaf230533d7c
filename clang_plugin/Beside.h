#pragma once

#include "analysis/frontend/FrontEnd.h"
#include "feedback/gate/Checked.h"

#include <clang/Basic/Diagnostic.h>

namespace clang {
class CompilerInvocation;
class SourceManager;
} // namespace clang

namespace warpwright {

/// What the gate would say of a file that another Clang in this process compiles for a device, without the
/// numbers of nvcc and without a baseline. Findings that a comment accepts are left out, as are those of less
/// confidence than `minConfidence`.
CheckedFile checkBeside(const clang::CompilerInvocation &other, double minConfidence);

/// The same of a file that has to be parsed by itself.
CheckedFile checkRequest(const ParseRequest &request, double minConfidence);

/// The place in the sources of that Clang; invalid where it has no such file.
clang::SourceLocation locate(const Place &place, const clang::SourceManager &sources);

/// A suggested change in terms of that Clang; empty where it has no such file.
std::vector<clang::FixItHint> fixItHints(const SuggestedFix &fix, const clang::SourceManager &sources);

} // namespace warpwright
