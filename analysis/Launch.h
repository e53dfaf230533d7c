#pragma once

#include <nlohmann/json_fwd.hpp>

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace warpwright {

/// Grid and block extents; never zero in a launch that can run.
struct Dim3 {
  uint64_t x = 1;
  uint64_t y = 1;
  uint64_t z = 1;

  uint64_t count() const { return x * y * z; }
  auto operator<=>(const Dim3 &) const = default;
};

/// A by-value argument: integers (bool and enumerations included) or floating point.
using Scalar = std::variant<int64_t, double>;

/// What a pointer argument leads to.
struct LaunchBuffer {
  uint64_t elements = 0;
  std::string type = "float32"; ///< of an element, as documents name it
  /// "zeros", "none" (what is read before it was written is a fault), or how to draw the elements: "uniform",
  /// "normal", "integers", "ones", "permutation".
  std::string init = "zeros";
  unsigned misalignment = 0; ///< bytes off a multiple of 256, less than that
  bool operator==(const LaunchBuffer &) const = default;
};

/// One launch of one kernel, concrete. Arguments bind by parameter name; a member of a by-value struct is
/// "p.n". Pointer parameters that are not named are zero-filled buffers of 64 MiB, 256-byte aligned.
struct Launch {
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  uint64_t dynamicSharedBytes = 0;
  std::map<std::string, Scalar> arguments;
  std::map<std::string, LaunchBuffer> buffers; ///< of some pointer parameters
};

/// Reads an array of launches, or an object whose `launches` is one:
/// {"name": "gemm", "grid": [4,4,1], "block": [16,16,1], "args": {"n": 64}, "dynamic_shared_bytes": 0,
///  "buffers": {"a": {"elements": 4096, "type": "float32", "init": "uniform"}}}.
/// Grid and block may be shorter than three; a wrong type, an unknown key or a zero extent is an error that
/// names it.
llvm::Expected<std::vector<Launch>> parseLaunches(const nlohmann::ordered_json &document);

} // namespace warpwright
