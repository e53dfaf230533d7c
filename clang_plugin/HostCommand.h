#pragma once

#include "analysis/frontend/FrontEnd.h"

#include <llvm/Support/Error.h>

namespace clang {
class Preprocessor;
class SourceManager;
} // namespace clang

namespace warpwright {

/// The front end's request for the file that a preprocessor works on, for a device: what its options say of
/// include folders, macros and the language. That is all that a tool which runs the host's side of a compile
/// knows of the command. The text is the one that it has in memory. An error where the command names no CUDA
/// toolkit.
llvm::Expected<ParseRequest> deviceRequest(const clang::Preprocessor &preprocessor,
                                           const clang::SourceManager &sources,
                                           const std::string &architecture);

} // namespace warpwright
