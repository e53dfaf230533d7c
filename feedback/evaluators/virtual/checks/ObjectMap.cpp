#include "feedback/evaluators/virtual/checks/ObjectMap.h"

#include <algorithm>

namespace warpwright::vdevice {

/// How far beside shared memory an address is still taken for one that was meant to be in it.
static constexpr uint64_t nearby = 65536;

Object ObjectMap::makeObject(const StorageLayout &layout, Object::Kind kind, uint64_t base,
                             size_t index) const {
  const StorageVariable &variable = layout.variables[index];
  bool isDynamic = kind == Object::Kind::Shared && variable.offset == layout.bytes;
  return {kind, base + variable.offset, isDynamic ? launch_.dynamicSharedBytes : variable.bytes, index};
}

/// The last variable that begins at or below the address, or else the first.
std::optional<Object> ObjectMap::inLayout(const StorageLayout &layout, Object::Kind kind, uint64_t base,
                                          uint64_t address) const {
  if (layout.variables.empty())
    return std::nullopt;
  auto after = std::upper_bound(
      layout.variables.begin(), layout.variables.end(), address,
      [&](uint64_t wanted, const StorageVariable &variable) { return wanted < base + variable.offset; });
  size_t index = after == layout.variables.begin() ? 0 : after - layout.variables.begin() - 1;
  return makeObject(layout, kind, base, index);
}

std::optional<Object> ObjectMap::findNear(uint64_t address, uint32_t thread) const {
  const DeviceKernel &kernel = *launch_.kernel;
  if (!isShared(address) && isLocal(address))
    return inLayout(kernel.local, Object::Kind::Local, place_.local + thread * place_.localBytes, address);
  if (address - (place_.shared - nearby) < launch_.sharedBytes() + 2 * nearby)
    return inLayout(kernel.shared, Object::Kind::Shared, place_.shared, address);
  const MemoryRange *range = launch_.memory->findNear(address);
  if (!range)
    return std::nullopt;
  size_t index = range - launch_.memory->ranges().data();
  return Object{Object::Kind::Global, range->begin, range->bytes, index};
}

std::optional<Object> ObjectMap::find(uint64_t address, uint64_t bytes, uint32_t thread) const {
  std::optional<Object> object = findNear(address, thread);
  return object && object->holds(address, bytes) ? object : std::nullopt;
}

simt::AccessSpace ObjectMap::spaceOf(const Object &object) const {
  if (object.kind == Object::Kind::Global)
    return rangeOf(object).space;
  return object.kind == Object::Kind::Shared ? simt::AccessSpace::Shared : simt::AccessSpace::Local;
}

} // namespace warpwright::vdevice
