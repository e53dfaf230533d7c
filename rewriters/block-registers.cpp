// A thread computes several outputs, a rectangle of them, with everything in registers: what they have in
// common is read once for all of them.

#include "rewriters/tiling/TilingProposals.h"

namespace warpwright {

llvm::Expected<Proposals> proposeBlockRegisters(const RewriteContext &context) {
  return proposeTiling(context, "block-registers", TilingKind::Registers);
}

} // namespace warpwright
