#pragma once

#include "analysis/frontend/FrontEnd.h"

#include <clang/Frontend/CompilerInvocation.h>

namespace warpwright {

/// Makes the invocation read the CUDA headers from a precompiled preamble in the cache directory, building it
/// first where it is missing. One preamble serves all files with the same flags; it is written aside and
/// renamed, so that parallel and killed builds never see half of one. At most a gigabyte of them is kept, and
/// none that was not used for a month. Every failure leaves the invocation as it was: a preamble saves time
/// and decides nothing. Returns the preamble's path, empty where none is used.
std::string attachPreamble(clang::CompilerInvocation &invocation, const ParseRequest &request);

} // namespace warpwright
