#pragma once

#include "analysis/Launch.h"
#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/DeviceProgram.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <string>

namespace warpwright::vdevice {

/// Makes a buffer for each pointer parameter of the kernel and each pointer in its structs, as the launch
/// describes it: zero-filled, of 64 MiB and 256-byte aligned, unless the launch says otherwise. Drawn
/// elements depend on the seed and the buffer's name alone. Returns addresses by parameter name, or
/// "parameter.member", as LaunchRequest::pointers wants them. Errors: a buffer for something that is no
/// pointer parameter, an element type or an initialisation that does not exist, more memory than there is.
llvm::Expected<std::map<std::string, uint64_t>>
addLaunchBuffers(DeviceMemory &memory, const DeviceKernel &kernel, const Launch &launch, uint64_t seed = 0);

} // namespace warpwright::vdevice
