#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Path of libdevice in the toolkit. An error where there is none.
llvm::Expected<std::string> findDeviceLibrary(llvm::StringRef cudaPath);

/// Links what the module needs of libdevice, and answers what it asks of the compiler (`__nvvm_reflect`) as
/// the flags say.
llvm::Error linkDeviceLibrary(LoweringState &state, llvm::StringRef path);

} // namespace warpwright::vdevice
