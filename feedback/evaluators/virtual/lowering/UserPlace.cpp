#include "feedback/evaluators/virtual/lowering/UserPlace.h"

#include "analysis/ir/KernelView.h"

#include <llvm/IR/DebugInfoMetadata.h>

namespace warpwright::vdevice {

Place userPlaceOf(const llvm::Instruction &instruction) {
  const llvm::DILocation *location = instruction.getDebugLoc();
  if (!location)
    return {};
  while (location->getInlinedAt() && isToolkitFile(location->getFilename()))
    location = location->getInlinedAt();
  return {location->getFilename().str(), location->getLine(), location->getColumn()};
}

} // namespace warpwright::vdevice
