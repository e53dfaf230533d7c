#include "analysis/simt/Memory.h"

#include "analysis/simt/Flatten.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cstring>

namespace warpwright::simt {

void ByteStore::resize(uint64_t bytes) {
  data_.resize(bytes);
  known_.resize(bytes);
}

void ByteStore::forget() {
  std::fill(data_.begin(), data_.end(), 0);
  std::fill(known_.begin(), known_.end(), 0);
}

bool ByteStore::read(uint64_t offset, unsigned bytes, uint64_t &value) const {
  value = 0;
  if (offset > data_.size() || bytes > data_.size() - offset)
    return false;
  std::memcpy(&value, data_.data() + offset, bytes);
  return std::all_of(known_.begin() + offset, known_.begin() + offset + bytes,
                     [](uint8_t known) { return known; });
}

void ByteStore::write(uint64_t offset, unsigned bytes, uint64_t value, bool known) {
  if (offset > data_.size() || bytes > data_.size() - offset)
    return;
  std::memcpy(data_.data() + offset, &value, bytes);
  std::fill_n(known_.begin() + offset, bytes, known);
}

uint64_t LocalMemory::allocate(uint64_t bytes, uint64_t alignment) {
  // A thread may have 512 KiB; a block of 1024 such threads would not fit here. What lies beyond the part
  // that is kept reads as unknown, like any access out of bounds.
  constexpr uint64_t most = 32 * 1024;
  uint64_t offset = llvm::alignTo(top_, std::max<uint64_t>(alignment, 1));
  top_ = offset + bytes;
  lanes_.resize(warpSize);
  for (ByteStore &lane : lanes_)
    lane.resize(std::max(lane.size(), std::min(top_, most)));
  return offset;
}

bool LocalMemory::read(unsigned lane, uint64_t offset, unsigned bytes, uint64_t &value) const {
  value = 0;
  return !lanes_.empty() && lanes_[lane].read(offset, bytes, value);
}

void LocalMemory::write(unsigned lane, uint64_t offset, unsigned bytes, uint64_t value, bool known) {
  if (!lanes_.empty())
    lanes_[lane].write(offset, bytes, value, known);
}

DeviceMemory::DeviceMemory(const Program &program, uint64_t dynamicSharedBytes) {
  constexpr uint64_t mostShared = 228 * 1024; // of any architecture up to 10.0
  shared_.resize(std::min(program.map.sharedEnd + dynamicSharedBytes, mostShared + MemoryMap::sharedStart));
  initialiseVariables(program);
}

void DeviceMemory::initialiseVariables(const Program &program) {
  // Large tables are rarely indexed by what decides an address; zero stands for them then.
  constexpr uint64_t most = 1 << 20;
  variables_.resize(std::min(program.map.variableBytes, most));
  constants_.resize(std::min(program.map.constantBytes, most));
  for (const auto &[variable, address] : program.map.variables) {
    if (!variable->hasInitializer() || variable->getAddressSpace() == SharedSpace)
      continue;
    const llvm::DataLayout &layout = variable->getParent()->getDataLayout();
    llvm::SmallVector<ScalarShape> shapes;
    if (!flattenType(variable->getValueType(), layout, shapes))
      continue;
    std::vector<Slot> slots;
    appendConstant(variable->getInitializer(), layout, program.map, slots);
    size_t slot = 0;
    for (const ScalarShape &shape : shapes) {
      // The host may write a variable before the launch unless it is constant.
      bool known = variable->isConstant() && slots[slot].taint == 0;
      write(address + shape.offset, llvm::divideCeil(std::min<unsigned>(shape.bits, 64), 8),
            slots[slot].lane[0], known);
      slot += shape.slots();
    }
  }
}

AccessSpace DeviceMemory::spaceOf(uint64_t address) {
  switch (address >> 40) {
  case MemoryMap::sharedWindow >> 40:
    return AccessSpace::Shared;
  case MemoryMap::localWindow >> 40:
    return AccessSpace::Local;
  case MemoryMap::parameterWindow >> 40:
  case MemoryMap::constantWindow >> 40:
    return AccessSpace::Constant;
  default:
    return AccessSpace::Global;
  }
}

std::pair<AccessSpace, LaneMask>
DeviceMemory::lanesInOneSpace(const std::array<uint64_t, warpSize> &addresses, LaneMask mask) {
  uint64_t lead = addresses[std::countr_zero(mask)];
  AccessSpace space = spaceOf(lead);
  uint64_t apart = 0;
  forEachLane(mask, [&](unsigned lane) { apart |= (addresses[lane] ^ lead) >> 40; });
  if (apart == 0)
    return {space, mask};
  LaneMask here = 0;
  forEachLane(mask, [&](unsigned lane) { here |= LaneMask(spaceOf(addresses[lane]) == space) << lane; });
  return {space, here};
}

bool DeviceMemory::read(uint64_t address, unsigned bytes, uint64_t &value) const {
  uint64_t offset = address & ((uint64_t(1) << 40) - 1);
  switch (address >> 40) {
  case MemoryMap::sharedWindow >> 40:
    return shared_.read(offset, bytes, value);
  case MemoryMap::parameterWindow >> 40:
    return parameters_.read(offset, bytes, value);
  case MemoryMap::constantWindow >> 40:
    return constants_.read(offset, bytes, value);
  case MemoryMap::variableWindow >> 40:
    return variables_.read(offset, bytes, value);
  default:
    break;
  }
  value = 0;
  if (pages_.empty())
    return false;
  auto page = pages_.find(address / pageBytes);
  // An access across a page end is not aligned, and faults on the device.
  return page != pages_.end() && page->second->read(address % pageBytes, bytes, value);
}

void DeviceMemory::write(uint64_t address, unsigned bytes, uint64_t value, bool known) {
  uint64_t offset = address & ((uint64_t(1) << 40) - 1);
  switch (address >> 40) {
  case MemoryMap::sharedWindow >> 40:
    return shared_.write(offset, bytes, value, known);
  case MemoryMap::variableWindow >> 40:
    return variables_.write(offset, bytes, value, known);
  case MemoryMap::parameterWindow >> 40:
  case MemoryMap::constantWindow >> 40:
    return;
  default:
    break;
  }
  auto page = pages_.find(address / pageBytes);
  if (page == pages_.end()) {
    if ((!known && value == 0) || pages_.size() >= mostPages)
      return; // as good as never written
    page = pages_.try_emplace(address / pageBytes, std::make_unique<ByteStore>()).first;
    page->second->resize(pageBytes);
  }
  page->second->write(address % pageBytes, bytes, value, known);
}

} // namespace warpwright::simt
