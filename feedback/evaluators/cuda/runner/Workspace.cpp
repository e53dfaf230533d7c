#include "feedback/evaluators/cuda/runner/Workspace.h"

#include "feedback/evaluators/cuda/runner/Parallel.h"

#include <cassert>
#include <cstring>

namespace warpwright::runner {
namespace {

constexpr uint64_t alignment = 256;

uint64_t alignedUp(uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

std::string guardContents(unsigned pattern) {
  std::string bytes(Workspace::guardBytes, '\0');
  uint64_t key = values::streamKey(pattern, "guard");
  for (uint64_t word = 0; word < bytes.size() / 8; ++word) {
    uint64_t bits = values::bitsAt(key, word);
    std::memcpy(bytes.data() + word * 8, &bits, 8);
  }
  return bytes;
}

Problem enlarge(const Device &device, HostArray &array, uint64_t bytes) {
  if (array.size() >= bytes)
    return std::nullopt;
  Fallible<HostArray> larger = HostArray::allocate(device, bytes);
  if (!larger)
    return larger.failure();
  array = std::move(*larger);
  return std::nullopt;
}

} // namespace

void Workspace::layOut() {
  auto add = [&](const std::string &name, Owner owner, uint64_t bytes, uint64_t misalignment) {
    uint64_t start = alignedUp(memoryBytes_ + guardBytes) + misalignment;
    regions_.push_back({name, owner, bytes, start});
    memoryBytes_ = start + bytes + guardBytes;
  };
  for (const Buffer &buffer : shape_->buffers) {
    add(buffer.name, Owner::Shared, buffer.bytes(), buffer.misalignment);
    if (buffer.role != Role::Out)
      inputBytes_ += alignedUp(buffer.bytes());
  }
  for (const Scratch &scratch : shape_->original.scratch)
    add(scratch.name, Owner::Original, scratch.bytes, 0);
  if (shape_->candidate)
    for (const Scratch &scratch : shape_->candidate->scratch)
      add(scratch.name, Owner::Candidate, scratch.bytes, 0);
}

Problem Workspace::allocateAll(uint64_t limit) {
  uint64_t total = memoryBytes_ + slots * inputBytes_ + guardPatterns * guardBytes;
  if (limit && total > limit)
    return Failure{"the shape needs " + std::to_string(total) + " bytes of device memory, the limit is " +
                   std::to_string(limit)};
  auto allocate = [&](Owned &owned, uint64_t bytes) -> Problem {
    if (bytes == 0)
      return std::nullopt;
    Fallible<cuda::DevicePointer> address = device_->allocate(bytes);
    if (!address)
      return address.failure();
    owned.address = *address;
    return std::nullopt;
  };
  if (Problem problem = allocate(memory_, memoryBytes_))
    return problem;
  if (Problem problem = allocate(slots_, slots * inputBytes_))
    return problem;
  if (Problem problem = allocate(guards_, guardPatterns * guardBytes))
    return problem;
  for (unsigned pattern = 0; pattern < guardPatterns; ++pattern) {
    guardContents_.push_back(guardContents(pattern));
    if (Problem problem =
            device_->copyIn(guards_.address + pattern * guardBytes, guardContents_.back().data(), guardBytes))
      return problem;
  }
  return std::nullopt;
}

Fallible<Workspace> Workspace::create(const Device &device, const Shape &shape, uint64_t limit) {
  Workspace workspace(device, shape);
  workspace.layOut();
  if (Problem problem = workspace.allocateAll(limit))
    return *problem;
  workspace.drawn_.resize(shape.buffers.size());
  for (size_t i = 0; i < shape.buffers.size(); ++i)
    if (shape.buffers[i].role != Role::Out)
      if (Problem problem = enlarge(device, workspace.drawn_[i], shape.buffers[i].bytes()))
        return *problem;
  return workspace;
}

Workspace::~Workspace() {
  for (const Owned *owned : {&memory_, &slots_, &guards_})
    if (owned->address)
      device_->release(owned->address);
}

cuda::DevicePointer Workspace::address(const std::string &name, bool ofCandidate) const {
  Owner owner = ofCandidate ? Owner::Candidate : Owner::Original;
  for (const Region &region : regions_)
    if (region.name == name && (region.owner == Owner::Shared || region.owner == owner))
      return memory_.address + region.start;
  assert(false && "the job's names were checked when it was read");
  return 0;
}

Problem Workspace::draw(uint64_t seed, unsigned slot) {
  uint64_t offset = slot * inputBytes_;
  for (size_t i = 0; i < shape_->buffers.size(); ++i) {
    const Buffer &buffer = shape_->buffers[i];
    if (buffer.role == Role::Out)
      continue;
    uint64_t key = values::streamKey(seed, buffer.name);
    inParts(buffer.count, [&](unsigned, uint64_t begin, uint64_t end) {
      values::fillElements(buffer.initialisation, buffer.type, key, begin, end, buffer.count,
                           drawn_[i].data());
    });
    if (Problem problem = device_->copyIn(slots_.address + offset, drawn_[i].data(), buffer.bytes()))
      return problem;
    offset += alignedUp(buffer.bytes());
  }
  return std::nullopt;
}

Problem Workspace::load(unsigned slot, bool onlyInPlace) const {
  uint64_t offset = slot * inputBytes_;
  for (size_t i = 0; i < shape_->buffers.size(); ++i) {
    const Buffer &buffer = shape_->buffers[i];
    if (buffer.role == Role::Out)
      continue;
    if (buffer.role == Role::InOut || !onlyInPlace)
      if (Problem problem = device_->copyWithin(memory_.address + regions_[i].start, slots_.address + offset,
                                                buffer.bytes()))
        return problem;
    offset += alignedUp(buffer.bytes());
  }
  return std::nullopt;
}

Problem Workspace::poison(uint32_t word) const {
  for (size_t i = 0; i < regions_.size(); ++i) {
    if (i < shape_->buffers.size() && shape_->buffers[i].role != Role::Out)
      continue;
    if (Problem problem = device_->fill(memory_.address + regions_[i].start, word, regions_[i].bytes))
      return problem;
  }
  return std::nullopt;
}

Problem Workspace::writeGuards(unsigned pattern) const {
  cuda::DevicePointer source = guards_.address + pattern % guardPatterns * guardBytes;
  for (const Region &region : regions_)
    for (uint64_t start : {region.start - guardBytes, region.start + region.bytes})
      if (Problem problem = device_->copyWithin(memory_.address + start, source, guardBytes))
        return problem;
  return std::nullopt;
}

Fallible<std::optional<std::string>> Workspace::brokenGuard(unsigned pattern) {
  if (Problem problem = enlarge(*device_, staging_, 2 * guardBytes))
    return *problem;
  const std::string &expected = guardContents_[pattern % guardPatterns];
  for (const Region &region : regions_) {
    const char *before = staging_.data(), *after = before + guardBytes;
    if (Problem problem =
            device_->copyOut(staging_.data(), memory_.address + region.start - guardBytes, guardBytes))
      return *problem;
    if (Problem problem = device_->copyOut(staging_.data() + guardBytes,
                                           memory_.address + region.start + region.bytes, guardBytes))
      return *problem;
    for (uint64_t i = 0; i < guardBytes; ++i) {
      if (after[i] != expected[i])
        return std::optional("byte " + std::to_string(i) + " after '" + region.name + "'");
      if (before[guardBytes - 1 - i] != expected[guardBytes - 1 - i])
        return std::optional("byte " + std::to_string(i + 1) + " before '" + region.name + "'");
    }
  }
  return std::optional<std::string>();
}

Fallible<std::optional<std::string>> Workspace::changedInput() {
  for (size_t i = 0; i < shape_->buffers.size(); ++i) {
    const Buffer &buffer = shape_->buffers[i];
    if (buffer.role != Role::In)
      continue;
    if (Problem problem = download(i, staging_))
      return *problem;
    if (std::memcmp(staging_.data(), drawn_[i].data(), buffer.bytes()) != 0)
      return std::optional(buffer.name);
  }
  return std::optional<std::string>();
}

Problem Workspace::download(size_t index, HostArray &target) const {
  uint64_t bytes = shape_->buffers[index].bytes();
  if (Problem problem = enlarge(*device_, target, bytes))
    return problem;
  return device_->copyOut(target.data(), memory_.address + regions_[index].start, bytes);
}

} // namespace warpwright::runner
