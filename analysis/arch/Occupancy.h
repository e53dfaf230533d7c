#pragma once

#include "analysis/arch/Architecture.h"

#include <llvm/ADT/SmallVector.h>

namespace warpwright {

/// What keeps more blocks from being resident on a multiprocessor.
enum class OccupancyLimit { Blocks, Registers, Shared, Warps, Barriers };

/// "blocks", "registers", "shared memory", "warps" or "barriers".
const char *toString(OccupancyLimit limit);

/// How many blocks of one launch a multiprocessor holds, and why not more.
///
/// The limits are blocks a multiprocessor, counted as Nsight Compute's `launch__occupancy_limit_*`: each as
/// if the others were not there. `limitShared` is the odd one: it is counted in the carve-out that the driver
/// chooses for this very launch, which is no larger than it sees fit, so it says less about the kernel than
/// the other three. Blocks that are resident never depend on that choice.
struct Occupancy {
  unsigned limitBlocks = 0;
  unsigned limitRegisters = 0;
  unsigned limitShared = 0;
  unsigned limitWarps = 0;
  unsigned limitBarriers = 0;

  unsigned warpsPerBlock = 0;
  unsigned registersPerThread = 0; ///< with the driver's minimum; what `launch__registers_per_thread` reports
  uint64_t sharedBytesAllocated = 0;     ///< a block, with reserved bytes and rounding
  uint64_t sharedConfigurationBytes = 0; ///< the carve-out that the driver chooses

  unsigned residentBlocks = 0; ///< 0: the launch cannot run on this architecture
  unsigned residentWarps = 0;
  double occupancy = 0; ///< resident warps over the most there can be, 0..1
  /// The resources that reach their end first, in the order of the enumeration; never empty.
  llvm::SmallVector<OccupancyLimit, 2> limiters;
};

/// Theoretical occupancy of a launch.
/// @param threadsPerBlock not zero; beyond 1024 nothing is resident.
/// @param registersPerThread as ptxas reports them.
/// @param sharedBytesPerBlock static and dynamic, without what the system reserves.
/// @param barriers as ptxas reports them. Kernels with named barriers use several; clusters are not
/// considered.
///
/// Registers, warps and blocks follow the toolkit's cuda_occupancy.h. Its carve-out is the largest, though,
/// while the driver's depends on the launch; the rule here was measured: on an H200 (driver 580, CUDA 13.0),
/// 7,416 launches of 1..32 warps with 16..69 registers and 0..227 KB, of static and of dynamic shared memory,
/// all agree.
///  - Let R be the resident blocks that the largest carve-out allows, w the warps a block, M the blocks a
///    multiprocessor may hold. The driver wants room for G = max(R, min(2R, M - w)) blocks, so that the next
///    kernel's can come in. A kernel without shared memory costs nothing to have come in: G = max(R, M - w).
///    Where R is 1, so is G.
///  - It takes the smallest carve-out that holds G blocks, but never grows beyond one half of the largest
///  (rounded up to
///    a size there is) for G's sake, only for R's.
/// What Nsight Compute printed on devices of 7.5, 8.6, 8.7, 8.9 and 12.0 that people have published agrees
/// with this, but there it is a handful of launches: see Architecture::carveOutMeasured.
Occupancy computeOccupancy(const Architecture &architecture, unsigned threadsPerBlock,
                           unsigned registersPerThread, uint64_t sharedBytesPerBlock, unsigned barriers = 1);

} // namespace warpwright
