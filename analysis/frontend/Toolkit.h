#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// The CUDA toolkit a file is compiled with.
struct Toolkit {
  std::string nvcc; ///< the executable
  std::string root; ///< holds include/cuda.h
};

/// The toolkit of an nvcc that is named by a path or looked up in PATH; with an empty name, nvcc of PATH,
/// then of $CUDA_PATH and $CUDA_HOME, then of /usr/local/cuda. An error says where it looked.
llvm::Expected<Toolkit> findToolkit(llvm::StringRef nvcc = {});

/// The version that nvcc tells of itself, "13.0.88": that of the compiler and of ptxas. Empty where it tells
/// none.
std::string toolkitVersion(const Toolkit &toolkit);

/// What nvcc would take `-arch=native` for, {"90"}: by the program that nvcc asks, too. Empty where there is
/// no GPU, or no such program.
std::vector<std::string> nativeArchitectures(const Toolkit &toolkit);

} // namespace warpwright
