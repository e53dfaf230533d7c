#pragma once

#include "analysis/simt/CountLaunch.h"
#include "analysis/simt/Memory.h"

namespace warpwright::simt {

/// What no kernel can be launched with: no threads, too many of them, no body.
llvm::Error checkLaunch(const llvm::Function &kernel, const Launch &launch);

/// The kernel's parameters by name: as options say, else from the IR, else from debug info. Unnamed ones stay
/// empty.
std::vector<std::string> parameterNames(const llvm::Function &kernel, const SimtOptions &options);

/// One slot for each parameter, with the launch's values; by-value structs are written to `parameters`.
/// Errors: a parameter without a value, an argument that no parameter takes, a type that has no value.
llvm::Expected<std::vector<Slot>> bindArguments(const llvm::Function &kernel, const Launch &launch,
                                                const SimtOptions &options, ByteStore &parameters);

} // namespace warpwright::simt
