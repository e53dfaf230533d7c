#pragma once

#include "feedback/evaluators/cuda/runner/Device.h"

#include <cuda.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace warpwright::runner {

/// CUPTI's library, found at run time; its headers are needed to build this. It stays loaded for as long as
/// the process lives.
class Cupti {
public:
  struct Functions {
#define WARPWRIGHT_CUPTI_FUNCTION(member, function) decltype(&::function) member = nullptr;
#include "feedback/evaluators/cuda/runner/CuptiFunctions.def"
  };

  /// `path` empty: as the loader finds it, else in the toolkit's usual places. A failure names the library or
  /// the missing function.
  static Fallible<Cupti> load(const std::string &path);

  const Functions *operator->() const { return &functions_; }

  /// Nothing when `result` is success, else CUPTI's name of the error and what was being done.
  Problem check(CUptiResult result, std::string_view what) const;

private:
  Functions functions_;
};

inline CUcontext contextOf(const Device &device) {
  return reinterpret_cast<CUcontext>(device.context());
}

} // namespace warpwright::runner
