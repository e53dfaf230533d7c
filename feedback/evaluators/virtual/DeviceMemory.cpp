#include "feedback/evaluators/virtual/DeviceMemory.h"

#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/Mapping.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace warpwright::vdevice {
namespace {

constexpr uint64_t bufferAlignment = 256;
constexpr uint64_t smallestRedZone = uint64_t(64) << 10;
constexpr uint64_t largestRedZone = uint64_t(4) << 30;

/// The addresses kept free on each side of an object.
uint64_t redZoneOf(uint64_t bytes) {
  return llvm::alignTo(std::clamp(bytes, smallestRedZone, largestRedZone), Mapping::pageBytes());
}

llvm::Error tooLarge(const std::string &name, uint64_t bytes) {
  return llvm::createStringError("'" + name + "' needs " + std::to_string(bytes) +
                                 " bytes, which is more memory than this machine has left");
}

} // namespace

class DeviceMemory::Implementation {
public:
  /// Memory behind one range, and the map of what was written.
  struct Backing {
    uint64_t begin = 0; ///< of the range with its surroundings
    uint64_t bytes = 0;
    Mapping memory = {};
    Mapping written = {};
  };

  llvm::Expected<uint64_t> add(MemoryRange range, unsigned misalignment, bool initialised);
  void insert(MemoryRange range, Backing backing);
  size_t indexOf(uint64_t address) const;

  /// Both sorted by address.
  std::vector<MemoryRange> ranges;
  std::vector<Backing> backings;
  std::vector<uint64_t> variables;
  uint64_t bytes = 0;
};

/// The last range whose surroundings begin at or below the address, or the number of ranges.
size_t DeviceMemory::Implementation::indexOf(uint64_t address) const {
  auto after =
      std::upper_bound(backings.begin(), backings.end(), address,
                       [](uint64_t wanted, const Backing &backing) { return wanted < backing.begin; });
  return after == backings.begin() ? backings.size() : static_cast<size_t>(after - backings.begin() - 1);
}

llvm::Expected<uint64_t> DeviceMemory::Implementation::add(MemoryRange range, unsigned misalignment,
                                                           bool initialised) {
  assert(misalignment < bufferAlignment);
  uint64_t all = Mapping::physicalBytes();
  if (range.bytes > all || bytes > all - range.bytes)
    return tooLarge(range.name, range.bytes);
  uint64_t redZone = redZoneOf(range.bytes);
  uint64_t usable = llvm::alignTo(range.bytes + misalignment, Mapping::pageBytes());
  Backing backing;
  backing.memory = Mapping::reserve(redZone + usable + redZone);
  if (!backing.memory || !backing.memory.open(redZone, usable))
    return tooLarge(range.name, range.bytes);
  backing.begin = backing.memory.begin();
  backing.bytes = backing.memory.bytes();
  range.begin = backing.begin + redZone + misalignment;
  if (!initialised && range.bytes) {
    backing.written = Mapping::zeroed(range.bytes);
    if (!backing.written)
      return tooLarge(range.name, range.bytes);
    range.written = backing.written.data();
  }
  bytes += range.bytes;
  uint64_t begin = range.begin;
  insert(std::move(range), std::move(backing));
  return begin;
}

void DeviceMemory::Implementation::insert(MemoryRange range, Backing backing) {
  auto place =
      std::upper_bound(ranges.begin(), ranges.end(), range.begin,
                       [](uint64_t wanted, const MemoryRange &other) { return wanted < other.begin; });
  backings.insert(backings.begin() + (place - ranges.begin()), std::move(backing));
  ranges.insert(place, std::move(range));
}

DeviceMemory::DeviceMemory() : implementation_(std::make_unique<Implementation>()) {}
DeviceMemory::~DeviceMemory() = default;
DeviceMemory::DeviceMemory(DeviceMemory &&) noexcept = default;
DeviceMemory &DeviceMemory::operator=(DeviceMemory &&) noexcept = default;

llvm::Expected<uint64_t> DeviceMemory::addBuffer(const BufferRequest &request) {
  assert(request.contents.size() <= request.bytes);
  MemoryRange range;
  range.name = request.name;
  range.bytes = request.bytes;
  range.elementBytes = request.elementBytes;
  auto address = implementation_->add(std::move(range), request.misalignment, request.initialised);
  if (!address || request.contents.empty())
    return address;
  std::memcpy(reinterpret_cast<void *>(*address), request.contents.data(), request.contents.size());
  return address;
}

void DeviceMemory::addForeign(MemoryRange range) {
  Implementation::Backing backing{.begin = range.begin, .bytes = range.bytes};
  implementation_->insert(std::move(range), std::move(backing));
}

llvm::Error DeviceMemory::addVariables(llvm::ArrayRef<DeviceVariable> variables) {
  assert(implementation_->variables.empty());
  for (const DeviceVariable &variable : variables) {
    MemoryRange range;
    range.name = variable.name.empty() ? variable.symbol : variable.name;
    range.space = variable.constant ? simt::AccessSpace::Constant : simt::AccessSpace::Global;
    range.bytes = variable.bytes;
    auto address = implementation_->add(std::move(range), 0, /*initialised=*/true);
    if (!address)
      return address.takeError();
    implementation_->variables.push_back(*address);
    size_t given = std::min<uint64_t>(variable.initialValue.size(), variable.bytes);
    if (given)
      std::memcpy(reinterpret_cast<void *>(*address), variable.initialValue.data(), given);
  }
  for (size_t i = 0; i < variables.size(); ++i)
    for (const DeviceVariable::Reference &reference : variables[i].references) {
      uint64_t target = variableAddress(reference.variable) + static_cast<uint64_t>(reference.addend);
      assert(reference.offset + sizeof(target) <= variables[i].bytes);
      std::memcpy(reinterpret_cast<void *>(variableAddress(i) + reference.offset), &target, sizeof(target));
    }
  return llvm::Error::success();
}

uint64_t DeviceMemory::variableAddress(size_t index) const {
  return implementation_->variables[index];
}

const MemoryRange *DeviceMemory::find(uint64_t address) const {
  const MemoryRange *near = findNear(address);
  return near && near->holds(address) ? near : nullptr;
}

const MemoryRange *DeviceMemory::findNear(uint64_t address) const {
  size_t index = implementation_->indexOf(address);
  if (index == implementation_->ranges.size())
    return nullptr;
  const Implementation::Backing &backing = implementation_->backings[index];
  return address - backing.begin < backing.bytes ? &implementation_->ranges[index] : nullptr;
}

llvm::ArrayRef<MemoryRange> DeviceMemory::ranges() const {
  return implementation_->ranges;
}

llvm::MutableArrayRef<uint8_t> DeviceMemory::contents(uint64_t address) {
  size_t index = implementation_->indexOf(address);
  assert(index < implementation_->ranges.size() && implementation_->ranges[index].begin == address);
  return {reinterpret_cast<uint8_t *>(address), implementation_->ranges[index].bytes};
}

} // namespace warpwright::vdevice
