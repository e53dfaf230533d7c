#pragma once

#include "feedback/Calibration.h"
#include "feedback/DeviceFigures.h"
#include "feedback/Evidence.h"

namespace warpwright {

struct KernelAnalysis;

/// Holds what analysis said of a kernel against what was measured of it:
///
///  - sectors, requests and wavefronts by kind of access, with the lines they come from, against counters of
///    the original on every shape that was profiled, and of candidates in sum;
///  - occupancy against that achieved;
///  - findings that a counter can confirm or refute, and what feedback rules and findings say of each other;
///  - ranks by the cost model against ranks by time, and by the smallest shape against those of the main one.
///
/// Where numbers differ, the reason is looked for: an assumption of the analysis, or accesses that nvcc made
/// others of, which its requests show. A pure function of the record. `analysis` is that of the architecture
/// that was measured.
KernelCalibration calibrate(const KernelRecord &record, const KernelAnalysis &analysis,
                            const DeviceFigures &figures);

} // namespace warpwright
