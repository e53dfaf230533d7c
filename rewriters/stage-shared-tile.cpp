// A block reads what its outputs have in common into shared memory, a strip of the reduction at a time, and
// each thread computes several outputs from there.

#include "rewriters/tiling/TilingProposals.h"

namespace warpwright {

llvm::Expected<Proposals> proposeStageSharedTile(const RewriteContext &context) {
  return proposeTiling(context, "stage-shared-tile", TilingKind::Shared);
}

} // namespace warpwright
