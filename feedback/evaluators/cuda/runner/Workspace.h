#pragma once

#include "feedback/evaluators/cuda/runner/Device.h"
#include "feedback/evaluators/cuda/runner/Job.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::runner {

/// The device memory of one shape. Every buffer and scratch lies between two guard zones of random bytes.
/// Original and candidate use the same buffers at the same addresses: neither gains by where its memory lies,
/// and neither finds the other's results. Inputs are kept twice more, in slots, from which buffers are loaded
/// on the device itself.
class Workspace {
public:
  static constexpr unsigned slots = 2;
  static constexpr uint64_t guardBytes = 64 << 10;
  static constexpr unsigned guardPatterns = 4;

  /// `limit`: bytes it may take; 0 means all that is free. A failure with the driver's code for no memory, or
  /// none, where it does not fit.
  static Fallible<Workspace> create(const Device &device, const Shape &shape, uint64_t limit);
  Workspace(Workspace &&) = default;
  ~Workspace();

  const Shape &shape() const { return *shape_; }
  /// Of a buffer, or of the scratch of the original's or candidate's plan.
  cuda::DevicePointer address(const std::string &name, bool ofCandidate) const;

  /// Draws what the seed gives for every input into a slot.
  Problem draw(uint64_t seed, unsigned slot);
  /// Copies a slot to the buffers; with `onlyInPlace`, only to those that are both read and written.
  Problem load(unsigned slot, bool onlyInPlace) const;
  /// Overwrites outputs and scratch with a word.
  Problem poison(uint32_t word) const;
  Problem writeGuards(unsigned pattern) const;

  /// Where the guards are not what writeGuards(pattern) wrote: "byte 12 after 'c'"; nothing where they are.
  Fallible<std::optional<std::string>> brokenGuard(unsigned pattern);
  /// The name of an input that is not what was last drawn; nothing where all are.
  Fallible<std::optional<std::string>> changedInput();
  /// Copies buffer `index` of the shape to `target`, which is made large enough.
  Problem download(size_t index, HostArray &target) const;

private:
  enum class Owner { Candidate, Original, Shared };
  struct Region {
    std::string name;
    Owner owner;
    uint64_t bytes;
    uint64_t start; ///< from the beginning of the memory
  };

  Workspace(const Device &device, const Shape &shape) : device_(&device), shape_(&shape) {}
  void layOut();
  Problem allocateAll(uint64_t limit);

  const Device *device_;
  const Shape *shape_;
  std::vector<Region> regions_; ///< the shape's buffers first, in order
  uint64_t memoryBytes_ = 0;
  uint64_t inputBytes_ = 0; ///< of one slot
  struct Owned {            ///< moves leave nothing behind to be freed twice
    cuda::DevicePointer address = 0;
    Owned() = default;
    Owned(Owned &&other) noexcept : address(std::exchange(other.address, 0)) {}
  };
  Owned memory_;
  Owned slots_;
  Owned guards_;
  std::vector<HostArray> drawn_; ///< what was drawn last, by buffer; empty for outputs
  std::vector<std::string> guardContents_;
  HostArray staging_;
};

} // namespace warpwright::runner
