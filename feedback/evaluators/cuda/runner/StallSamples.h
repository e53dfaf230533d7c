#pragma once

#include "feedback/evaluators/cuda/runner/Cupti.h"
#include "feedback/evaluators/cuda/runner/Messages.h"

#include <map>
#include <memory>

namespace warpwright::runner {

/// Samples of warps: which instruction each was at, and what it waited for.
class StallSamples {
public:
  /// Samples all kernels that are loaded from here on, until the object goes.
  static Fallible<std::unique_ptr<StallSamples>> enable(const Cupti &cupti, const Device &device);
  ~StallSamples();

  Problem start();
  /// The device must be idle.
  Problem stop();

  uint64_t total() const { return total_; }
  uint64_t dropped() const { return dropped_; }
  uint32_t periodCycles() const { return uint32_t(1) << periodExponent; }
  /// Lines of the kernel, the busiest first, as a profile has them; instructions without a line are left out.
  Json linesOf(const std::string &symbol, const std::string &image) const;

private:
  /// Samples of one instruction by reason.
  using Instruction = std::map<std::string, uint64_t>;
  struct Buffers;

  /// 2^10 cycles: a kernel of ten microseconds has some twenty samples of each scheduler, and the hardware's
  /// buffer holds milliseconds.
  static constexpr uint32_t periodExponent = 10;

  StallSamples(const Cupti &cupti, const Device &device);
  Problem readReasons();
  Problem configure();
  void keep();

  const Cupti &cupti_;
  const Device &device_;
  std::map<uint32_t, std::string> reasons_;
  std::unique_ptr<Buffers> buffers_;
  std::map<std::string, std::map<uint64_t, Instruction>> instructions_; ///< by symbol and offset
  uint64_t total_ = 0;
  uint64_t dropped_ = 0;
  bool enabled_ = false;
};

} // namespace warpwright::runner
