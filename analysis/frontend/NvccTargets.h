#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One image of device code that a compile makes.
struct NvccTarget {
  enum Form {
    Cubin, ///< machine code of a real architecture
    Ptx,   ///< PTX of a virtual architecture
    Lto    ///< intermediate code for the device linker
  };
  Form form = Cubin;
  std::string
      virtualArchitecture;  ///< what the source is compiled for, hence __CUDA_ARCH__: "75", "90a", "100f"
  std::string architecture; ///< what the image is for; of PTX the same as virtualArchitecture

  /// `arch=compute_90,code=sm_90`, as --generate-code takes it.
  std::string generateCode() const;
  bool operator==(const NvccTarget &) const = default;
};

/// What the options on the command line say about targets.
struct NvccTargetRequest {
  std::optional<std::string> architecture;               ///< -arch
  std::vector<std::string> codes;                        ///< -code, all of them
  std::vector<std::string> generateCodes;                ///< -gencode, each as it stands
  bool linkTimeOptimization = false;                     ///< -dlto
  bool relocatable = false;                              ///< -rdc=true or implied
  enum { Embedded, OnePtx, OneCubin } images = Embedded; ///< -ptx and -cubin make exactly one
  std::vector<std::string> nativeArchitectures;          ///< of the GPUs here, for -arch=native
};

/// The targets in order, without repetition: those of -arch and -code first, else those of -gencode; sm_75
/// where nothing is said. As in nvcc 13.0, `-arch` of a suffixed architecture ("90a") also embeds PTX of the
/// plain one. Errors, in which the option is named: an unknown architecture, -code without -arch, an -arch
/// that -code or -gencode does not admit, code that cannot run what the virtual architecture promises, more
/// than one image for -ptx or -cubin.
llvm::Expected<std::vector<NvccTarget>> nvccTargets(const NvccTargetRequest &request);

/// What nvcc 13.0 compiles for when no architecture is given.
inline constexpr const char *nvccDefaultArchitecture = "75";

/// Names as --list-gpu-code and the help text have them, without prefix and in ascending order: "75", ...,
/// "90", "90a", ...
std::vector<std::string> nvccArchitectures();

} // namespace warpwright
