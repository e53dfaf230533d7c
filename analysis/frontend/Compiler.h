#pragma once

#include "analysis/frontend/FrontEnd.h"

#include <clang/Frontend/CompilerInvocation.h>

namespace warpwright {

/// The invocation that Clang's own driver derives from the request for the device side of one architecture,
/// with what the analyses need set: -O1, line tables, no device library linked.
llvm::Expected<std::shared_ptr<clang::CompilerInvocation>> createInvocation(const ParseRequest &request);

/// Turns a device compilation, whatever it was for, into one that facts can be read from: as
/// createInvocation() sets it, without plugins and outputs.
void prepareForAnalysis(clang::CompilerInvocation &invocation);

/// Clang includes this first wherever it compiles CUDA; the preamble is its content, compiled ahead.
inline constexpr const char *cudaWrapperHeader = "__clang_cuda_runtime_wrapper.h";

} // namespace warpwright
