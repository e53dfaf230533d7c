#pragma once

#include "rewriters/Rewriter.h"

namespace warpwright {

/// Which part of the space of tiled kernels a rewriter proposes.
enum class TilingKind {
  Registers, ///< a thread computes several outputs, out of global memory
  Shared     ///< what a block reads goes through shared memory
};

/// Proposes the kernel as a tiled nest; docs/architecture/tiling.md.
llvm::Expected<Proposals> proposeTiling(const RewriteContext &context, llvm::StringRef id, TilingKind kind);

} // namespace warpwright
