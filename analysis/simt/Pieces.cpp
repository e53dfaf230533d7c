#include "analysis/simt/Pieces.h"

#include <llvm/ADT/bit.h>

#include <algorithm>

namespace warpwright::simt {

std::vector<MemoryScalar> cutIntoPieces(uint64_t size, llvm::Align alignment) {
  std::vector<MemoryScalar> pieces;
  for (uint64_t offset = 0; offset < size;) {
    uint64_t bytes = std::min(
        {widestAccess, llvm::commonAlignment(alignment, offset).value(), llvm::bit_floor(size - offset)});
    pieces.push_back({static_cast<uint32_t>(offset), static_cast<uint8_t>(bytes)});
    offset += bytes;
  }
  return pieces;
}

} // namespace warpwright::simt
