#pragma once

#include <llvm/Support/Alignment.h>

#include <cstdint>
#include <vector>

namespace warpwright::simt {

/// The widest memory instruction of a lane, in bytes.
inline constexpr uint64_t widestAccess = 16;
/// Block copies of more bytes become loops, whose accesses are their own.
inline constexpr uint64_t longestUnrolledCopy = 4096;

/// One scalar in memory.
struct MemoryScalar {
  uint32_t offset; ///< from the address of the access
  uint8_t bytes;   ///< 1 to 16
};

/// The instructions that the machine needs for `size` bytes at an address of that alignment: as wide as both
/// allow.
std::vector<MemoryScalar> cutIntoPieces(uint64_t size, llvm::Align alignment);

} // namespace warpwright::simt
