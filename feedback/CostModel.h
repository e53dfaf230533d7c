#pragma once

#include "analysis/arch/Architecture.h"
#include "feedback/Prediction.h"

namespace warpwright {

/// Cycles that one multiprocessor would need for the whole launch of a shape if the busiest of its units were
/// the only limit: sectors through the L1 (2 a cycle), wavefronts through shared memory (1), instructions
/// issued (one a scheduler), double-precision instructions at their rate. With few resident warps latency
/// shows, so the sum is divided by how far occupancy reaches a quarter, where most kernels hide it. A figure
/// to rank candidates by, never one to report as a time.
double predictedCycles(const Architecture &architecture, const Prediction &prediction, size_t shape);

} // namespace warpwright
