#pragma once

#include "feedback/evaluators/cuda/runner/Driver.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace warpwright::runner {

using Problem = std::optional<Failure>;

/// One device: what it is, and its memory and one stream once it is opened. All work of the runner goes to
/// that stream, in order, unless a plan asks for others.
class Device {
public:
  /// Finds the device without touching its memory, so that its lock can be taken first.
  static Fallible<Device> find(const Driver &driver, int ordinal);

  /// Makes a context and the streams. The context spins while waiting: a sleeping host would see the end
  /// late.
  Problem open();

  const Driver &driver() const { return driver_; }
  cuda::Context context() const { return context_; }
  cuda::DeviceOrdinal ordinal() const { return ordinal_; }
  std::string name() const;
  std::string architecture() const; ///< "sm_90"
  int capabilityMajor() const { return attribute(cuda::attributeMajor); }
  const std::string &uuid() const { return uuid_; }
  cuda::Stream stream(unsigned number = 0) const { return streams_[number]; }
  unsigned multiprocessors() const { return multiprocessors_; }
  uint64_t l2Bytes() const { return l2Bytes_; }
  uint32_t maxSharedBytes() const { return maxSharedBytes_; }

  Fallible<cuda::DevicePointer> allocate(uint64_t bytes) const;
  void release(cuda::DevicePointer address) const { driver_->memoryFree(address); }
  Fallible<uint64_t> freeBytes() const;

  // In the stream's order; copies to and from the host return when they are done.
  Problem copyIn(cuda::DevicePointer target, const void *source, uint64_t bytes) const;
  Problem copyOut(void *target, cuda::DevicePointer source, uint64_t bytes) const;
  Problem copyWithin(cuda::DevicePointer target, cuda::DevicePointer source, uint64_t bytes) const;
  /// `bytes` from `address` on get the bytes of `word`, first byte first.
  Problem fill(cuda::DevicePointer address, uint32_t word, uint64_t bytes) const;
  /// Waits for everything in the context, all streams included.
  Problem synchronize() const;

  /// Name, architecture, memory, limits, clocks and driver, for results.
  nlohmann::ordered_json describe() const;

private:
  explicit Device(const Driver &driver) : driver_(driver) {}
  int attribute(int which) const;

  static constexpr unsigned streamCount = 8;

  Driver driver_;
  cuda::DeviceOrdinal ordinal_ = 0;
  cuda::Context context_ = nullptr;
  std::string uuid_;
  unsigned multiprocessors_ = 0;
  uint64_t l2Bytes_ = 0;
  uint32_t maxSharedBytes_ = 0;
  cuda::Stream streams_[streamCount] = {};
};

/// Pinned host memory: copies to and from it run at the speed of the bus.
class HostArray {
public:
  static Fallible<HostArray> allocate(const Device &device, uint64_t bytes);
  HostArray() = default;
  HostArray(HostArray &&other) noexcept
      : free_(other.free_), data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  HostArray &operator=(HostArray &&other) noexcept {
    std::swap(free_, other.free_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HostArray() {
    if (data_)
      free_(data_);
  }

  char *data() const { return static_cast<char *>(data_); }
  uint64_t size() const { return bytes_; }

private:
  cuda::Result (*free_)(void *) = nullptr;
  void *data_ = nullptr;
  uint64_t bytes_ = 0;
};

} // namespace warpwright::runner
