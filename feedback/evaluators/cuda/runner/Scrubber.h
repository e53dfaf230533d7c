#pragma once

#include "feedback/evaluators/cuda/runner/Device.h"

namespace warpwright::runner {

/// Overwrites the shared memory of every multiprocessor, so that a kernel finds there neither its own last
/// values nor the other kernel's. A few lines of PTX, which the driver compiles; where it cannot, nothing is
/// scrubbed and available() says so.
class Scrubber {
public:
  explicit Scrubber(const Device &device);
  ~Scrubber();
  Scrubber(const Scrubber &) = delete;
  Scrubber &operator=(const Scrubber &) = delete;

  bool available() const { return function_ != nullptr; }
  /// In the stream's order.
  Problem scrub(uint32_t word) const;

private:
  const Device &device_;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
};

} // namespace warpwright::runner
