#pragma once

#include "feedback/evaluators/cuda/runner/DriverTypes.h"
#include "feedback/evaluators/cuda/runner/Fallible.h"

#include <optional>
#include <string>

namespace warpwright::runner {

namespace cuda {
/// Entry points by member, one a row of DriverFunctions.def; an optional one may be null.
struct Functions {
#define WARPWRIGHT_DRIVER_FUNCTION(member, symbol, need, ...) Result (*member)(__VA_ARGS__) = nullptr;
#include "feedback/evaluators/cuda/runner/DriverFunctions.def"
};
} // namespace cuda

/// The driver library, found at run time. It stays loaded for as long as the process lives.
class Driver {
public:
  /// `path` empty: libcuda.so.1 as the loader finds it. A failure names the library or the missing symbol.
  static Fallible<Driver> load(const std::string &path);

  const cuda::Functions &functions() const { return functions_; }
  const cuda::Functions *operator->() const { return &functions_; }

  /// Nothing when `result` is success, else "what: CUDA_ERROR_..." and the driver's code.
  std::optional<Failure> check(cuda::Result result, std::string_view what) const;
  std::string errorName(cuda::Result result) const;

private:
  cuda::Functions functions_;
};

} // namespace warpwright::runner
