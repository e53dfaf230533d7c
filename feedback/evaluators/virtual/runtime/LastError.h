#pragma once

#include <driver_types.h>

namespace warpwright::vdevice {

/// Keeps an error for cudaGetLastError(), and returns it.
cudaError_t remember(cudaError_t error);

} // namespace warpwright::vdevice
