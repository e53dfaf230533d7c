#pragma once

#include "analysis/arch/Architecture.h"
#include "feedback/DeviceFigures.h"
#include "feedback/Prediction.h"

#include <llvm/ADT/ArrayRef.h>

namespace warpwright {

/// Cycles that one multiprocessor would need for the whole launch of a shape if the busiest of its units were
/// the only limit: sectors through the L1 (2 a cycle), wavefronts through shared memory (1), instructions
/// issued (one a scheduler), double-precision instructions at their rate. With few resident warps latency
/// shows, so the sum is divided by how far occupancy reaches a quarter, where most kernels hide it. A figure
/// to rank candidates by, never one to report as a time.
double predictedCycles(const Architecture &architecture, const Prediction &prediction, size_t shape);

/// Cycles that the busiest multiprocessor would need for the launch of a shape, by what was counted:
///
///  - its units at their rates: sectors through L1 and L2, wavefronts through shared memory, instructions
///    issued (one a scheduler), double-precision and special-function instructions, atomics one address at a
///    time;
///  - or, where too few warps are resident to hide it, the latency of its loads, each warp having a few under
///    way at a time.
///
/// Launches of fewer blocks than the device has multiprocessors leave some idle, and the last wave of blocks
/// takes as long as a full one. A figure to rank candidates by, never one to report as a time: what caches
/// keep is not modelled. `figures` are those of the device where they were measured, else typical ones.
double estimatedCycles(const Architecture &architecture, const Prediction &prediction, size_t shape,
                       const DeviceFigures &figures);

/// The same over the original's, shape by shape. Empty where shapes are not the same or one was not counted.
std::vector<double> estimatedRatios(const Prediction &before, const Prediction &after,
                                    const DeviceFigures &figures);

/// The geometric mean of ratios; `keepsOriginal`: where the original may stay on the shapes on which it is
/// the faster one, so that none counts for more than 1. 0 where there are none.
double meanOfRatios(llvm::ArrayRef<double> ratios, bool keepsOriginal);

} // namespace warpwright
