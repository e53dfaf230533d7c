#pragma once

#include "feedback/evaluators/virtual/Execute.h"

namespace warpwright::vdevice {

/// The block of parameters of a launch. Errors: a parameter or a member without a value, a value that no
/// parameter takes.
llvm::Expected<std::vector<uint8_t>> bindParameters(const DeviceKernel &kernel, const LaunchRequest &request);

} // namespace warpwright::vdevice
