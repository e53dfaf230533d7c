#pragma once

#include "feedback/evaluators/cuda/runner/Device.h"

namespace warpwright::runner {

/// What the device does reach, by kernels of our own: bandwidths and latencies of its memory levels, peaks by
/// type, its clock under load and the time of a launch. Takes about a second; the device must be open, and
/// nobody else may measure on it. The object is `measured` of a `warpwright/device/1` document; what could
/// not be measured is not in it, and `notes` says why.
nlohmann::ordered_json probeDevice(const Device &device);

} // namespace warpwright::runner
