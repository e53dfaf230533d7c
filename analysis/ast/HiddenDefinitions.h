#pragma once

namespace clang {
class FunctionDecl;
}

namespace warpwright {

/// Whether the kernel's file defines a kernel of that name once more, in a branch of the preprocessor that
/// this compilation skips. nvcc compiles the host's half of the file without __CUDA_ARCH__ and may see that
/// other definition: one that changed alone no longer fits the stub that launches it, and a copy is unknown
/// there. Definitions out of macros are not found.
bool hasHiddenDefinition(const clang::FunctionDecl &kernel);

} // namespace warpwright
