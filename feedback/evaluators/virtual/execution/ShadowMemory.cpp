#include "feedback/evaluators/virtual/execution/ShadowMemory.h"

#include <bit>
#include <cstring>
#include <vector>

namespace warpwright::vdevice {

bool ShadowMemory::isUnknown(double value) {
  return std::bit_cast<uint64_t>(value) == unknownBits;
}

ShadowMemory::Entry *ShadowMemory::find(uint64_t address, bool make) {
  uint64_t number = address / pageBytes;
  if (number != lastNumber_) {
    auto found = pages_.find(number);
    if (found == pages_.end()) {
      if (!make)
        return nullptr;
      found = pages_.emplace(number, std::make_unique<Page>()).first;
    }
    lastNumber_ = number;
    lastPage_ = found->second.get();
  }
  return &lastPage_->entries[address % pageBytes / granule];
}

double ShadowMemory::load(uint64_t address, uint32_t bytes, uint64_t bits, double fallback) {
  if (address % granule != 0)
    return fallback;
  const Entry *entry = find(address, /*make=*/false);
  return entry && entry->bytes == bytes && entry->bits == bits ? entry->value : fallback;
}

void ShadowMemory::store(uint64_t address, uint32_t bytes, uint64_t bits, double value) {
  if (address % granule != 0 || isUnknown(value))
    return;
  *find(address, /*make=*/true) = {value, bits, bytes};
}

void ShadowMemory::forget(uint64_t address, uint64_t bytes) {
  for (uint64_t at = address - address % granule; at < address + bytes; at += granule)
    if (Entry *entry = find(at, /*make=*/false))
      entry->bytes = 0;
}

void ShadowMemory::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  std::vector<Entry> copied;
  bool isAligned = to % granule == 0 && from % granule == 0;
  for (uint64_t offset = 0; isAligned && offset < bytes; offset += granule) {
    const Entry *entry = find(from + offset, /*make=*/false);
    copied.push_back(entry && offset + entry->bytes <= bytes ? *entry : Entry());
  }
  forget(to, bytes);
  for (size_t i = 0; i < copied.size(); ++i)
    if (copied[i].bytes != 0)
      *find(to + i * granule, /*make=*/true) = copied[i];
}

bool ShadowMemory::holds(uint64_t address, uint64_t bytes) {
  for (uint64_t at = address - address % granule; at < address + bytes; at += granule) {
    const Entry *entry = find(at, /*make=*/false);
    if (!entry || entry->bytes == 0)
      continue;
    uint64_t present = 0;
    std::memcpy(&present, reinterpret_cast<const void *>(at), entry->bytes);
    if (present == entry->bits)
      return true;
  }
  return false;
}

} // namespace warpwright::vdevice
