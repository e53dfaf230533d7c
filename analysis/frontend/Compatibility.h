#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace clang {
class CompilerInvocation;
}

namespace warpwright {

/// What NvccDeclarations.h holds: the declarations that nvcc gives every file and Clang does not.
extern const llvm::StringLiteral compatibilityText;

/// Under these names the texts lie in the folder of Clang's own headers, so that everything takes them for
/// what they are: system headers. They exist in memory alone; the installed tool needs no data files.
inline constexpr const char *compatibilityHeader = "__warpwright_compatibility.h";
inline constexpr const char *nvccMacroHeader =
    "__warpwright_nvcc_macro.h"; ///< says `#define __NVCC__ 1`, nothing else

/// The disk's files with our headers laid over them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> createFileSystem(const clang::CompilerInvocation &invocation);

/// Adds what the driver has no flag for: the compatibility header right after the CUDA wrapper, gcc's own
/// headers (omp.h) behind all others, and silence for Clang's warnings, some of which are errors by default
/// where nvcc accepts the code (`register`, narrowing).
void addCompatibility(clang::CompilerInvocation &invocation);

} // namespace warpwright
