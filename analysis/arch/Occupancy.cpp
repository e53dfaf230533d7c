#include "analysis/arch/Occupancy.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cassert>

namespace warpwright {

namespace {

/// Registers belong to a sub-partition, and so do warps: what is left over in one does not help another. A
/// launch is refused when one block, counted as if spread evenly over all sub-partitions, passes the register
/// file.
unsigned blocksByRegisters(const Architecture &architecture, unsigned warpsPerBlock,
                           unsigned registersPerThread) {
  if (registersPerThread > Architecture::maxRegistersPerThread)
    return 0;
  const uint64_t perWarp =
      llvm::alignTo(uint64_t(registersPerThread) * Architecture::warpSize, Architecture::registerUnit);
  if (perWarp * llvm::alignTo(warpsPerBlock, Architecture::subPartitions) > architecture.registers)
    return 0;
  const uint64_t warpsPerPartition = architecture.registers / Architecture::subPartitions / perWarp;
  return unsigned(warpsPerPartition * Architecture::subPartitions / warpsPerBlock);
}

/// Blocks that a carve-out holds. A block that takes nothing from it is not limited by it; Nsight Compute
/// then reports the limit of blocks.
unsigned blocksByShared(const Architecture &architecture, uint64_t carveOutBytes, uint64_t bytesPerBlock) {
  if (bytesPerBlock == 0)
    return architecture.maxBlocks;
  return unsigned(carveOutBytes / bytesPerBlock);
}

uint64_t smallestCarveOut(const Architecture &architecture, uint64_t bytes) {
  for (uint16_t size : architecture.sharedConfigurations())
    if (uint64_t(size) * 1024 >= bytes)
      return uint64_t(size) * 1024;
  return architecture.sharedBytes();
}

/// The driver's choice for a launch of which `resident` blocks fit; the rule and its evidence are in the
/// header.
uint64_t chooseCarveOut(const Architecture &architecture, const Occupancy &occupancy, bool usesShared) {
  const unsigned resident = occupancy.residentBlocks;
  const uint64_t needed = smallestCarveOut(architecture, resident * occupancy.sharedBytesAllocated);
  if (resident <= 1)
    return needed;
  const unsigned free =
      architecture.maxBlocks > occupancy.warpsPerBlock ? architecture.maxBlocks - occupancy.warpsPerBlock : 0;
  const unsigned wanted = std::max(resident, usesShared ? std::min(2 * resident, free) : free);
  const uint64_t grown = smallestCarveOut(architecture, wanted * occupancy.sharedBytesAllocated);
  return std::max(needed, std::min(grown, uint64_t(architecture.carveOutGrowthKB) * 1024));
}

} // namespace

const char *toString(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Blocks:
    return "blocks";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::Shared:
    return "shared memory";
  case OccupancyLimit::Warps:
    return "warps";
  case OccupancyLimit::Barriers:
    break;
  }
  return "barriers";
}

Occupancy computeOccupancy(const Architecture &architecture, unsigned threadsPerBlock,
                           unsigned registersPerThread, uint64_t sharedBytesPerBlock, unsigned barriers) {
  assert(threadsPerBlock != 0 && "a block has threads");
  Occupancy result;
  result.warpsPerBlock = unsigned(llvm::divideCeil(threadsPerBlock, Architecture::warpSize));
  result.registersPerThread = std::max(registersPerThread, architecture.minRegistersPerThread);
  result.sharedBytesAllocated =
      llvm::alignTo(sharedBytesPerBlock + architecture.reservedSharedPerBlock, architecture.sharedUnit);

  result.limitBlocks = architecture.maxBlocks;
  result.limitWarps =
      threadsPerBlock > Architecture::maxThreadsPerBlock ? 0 : architecture.maxWarps / result.warpsPerBlock;
  result.limitRegisters = blocksByRegisters(architecture, result.warpsPerBlock, result.registersPerThread);
  result.limitBarriers = barriers == 0
                             ? architecture.maxBlocks
                             : std::min(architecture.maxBarriers / barriers, architecture.maxBlocks);
  const unsigned sharedAtMost =
      sharedBytesPerBlock > architecture.maxSharedPerBlock
          ? 0
          : blocksByShared(architecture, architecture.sharedBytes(), result.sharedBytesAllocated);

  const std::pair<OccupancyLimit, unsigned> limits[] = {{OccupancyLimit::Blocks, result.limitBlocks},
                                                        {OccupancyLimit::Registers, result.limitRegisters},
                                                        {OccupancyLimit::Shared, sharedAtMost},
                                                        {OccupancyLimit::Warps, result.limitWarps},
                                                        {OccupancyLimit::Barriers, result.limitBarriers}};
  result.residentBlocks = limits[0].second;
  for (const auto &[limit, blocks] : limits)
    result.residentBlocks = std::min(result.residentBlocks, blocks);
  // Shared memory and barriers that would allow as many blocks as there can be at all are no reason to name
  // them.
  for (const auto &[limit, blocks] : limits) {
    const bool mayBeIdle = limit == OccupancyLimit::Shared || limit == OccupancyLimit::Barriers;
    if (blocks == result.residentBlocks && (!mayBeIdle || blocks < architecture.maxBlocks))
      result.limiters.push_back(limit);
  }

  result.residentWarps = result.residentBlocks * result.warpsPerBlock;
  result.occupancy = double(result.residentWarps) / architecture.maxWarps;
  result.sharedConfigurationBytes = chooseCarveOut(architecture, result, sharedBytesPerBlock != 0);
  result.limitShared = sharedAtMost == 0 ? 0
                                         : blocksByShared(architecture, result.sharedConfigurationBytes,
                                                          result.sharedBytesAllocated);
  return result;
}

} // namespace warpwright
