#pragma once

#include "analysis/FileAnalysis.h"

namespace warpwright {

/// Starts nvcc on the file, or on the request's text in its place, for the request's target: the device code
/// that the user's command makes. `scratch` gets the folder of the text where there is one, and must outlive
/// the compile. The cubin is left at the path `cubin`; an empty one throws it away.
llvm::Expected<ResourceCompile> startNvcc(const FileRequest &request, std::optional<TemporaryFolder> &scratch,
                                          llvm::StringRef cubin = {});

/// What nvcc made of the kernel that Clang calls `symbol`; null where there is none. nvcc names a kernel of
/// internal linkage otherwise than Clang does, so symbols are compared without what depends on linkage; a
/// name that two kernels share then finds none.
const KernelResources *findCompiled(const PtxasReport &report, llvm::StringRef symbol,
                                    llvm::StringRef architecture);

} // namespace warpwright
