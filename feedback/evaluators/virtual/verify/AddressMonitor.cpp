#include "feedback/evaluators/virtual/verify/AddressMonitor.h"

namespace warpwright::vdevice {

void AddressMonitor::beginBlock(const BlockPlace &place) {
  place_ = place;
  if (next_)
    next_->beginBlock(place);
}

uint64_t AddressMonitor::access(const Access &access) {
  ++accesses_;
  bool writes = access.kind == simt::AccessKind::Store || access.kind == simt::AccessKind::Atomic;
  if (watched_ && writes && *watched_ - access.address < access.bytes)
    lastStore_ = Store{access.site, access.thread, place_.block};
  bool isKnown = touchGlobal(access);
  if (next_)
    return next_->access(access);
  auto lies = [&](uint64_t begin, uint64_t bytes) {
    return access.address - begin < bytes && access.bytes <= bytes - (access.address - begin);
  };
  isKnown =
      isKnown || lies(place_.shared, sharedBytes_) || lies(place_.local, place_.localBytes * place_.threads);
  return isKnown ? access.address : stray(access.bytes);
}

bool AddressMonitor::touchGlobal(const Access &access) {
  if (ranges_.empty())
    return false;
  if (!ranges_[lastRange_].holds(access.address)) {
    const MemoryRange *range = memory_.find(access.address);
    if (!range)
      return false;
    lastRange_ = static_cast<size_t>(range - ranges_.data());
  }
  const MemoryRange &range = ranges_[lastRange_];
  uint64_t end = access.address - range.begin + access.bytes;
  touched_[lastRange_] = std::max(touched_[lastRange_], end);
  return end <= range.bytes;
}

uint64_t AddressMonitor::stray(uint64_t bytes) {
  strayed_ = true;
  if (nowhere_.size() * sizeof(uint64_t) < bytes + 64)
    nowhere_.resize(bytes / sizeof(uint64_t) + 16);
  auto address = reinterpret_cast<uint64_t>(nowhere_.data());
  return (address + 63) / 64 * 64; // as aligned as any access may ask for
}

void AddressMonitor::barrier(llvm::ArrayRef<uint32_t> threads) {
  if (next_)
    next_->barrier(threads);
}
void AddressMonitor::warpSync(uint32_t warp, uint32_t lanes) {
  if (next_)
    next_->warpSync(warp, lanes);
}
void AddressMonitor::endBlock() {
  if (next_)
    next_->endBlock();
}
void AddressMonitor::threadEnd(uint32_t thread) {
  if (next_)
    next_->threadEnd(thread);
}
void AddressMonitor::fence(uint32_t thread) {
  if (next_)
    next_->fence(thread);
}
void AddressMonitor::copied(const Access &access) {
  if (next_)
    next_->copied(access);
}

void AddressMonitor::iteration(uint32_t thread, uint32_t loop, bool first) {
  if (next_)
    next_->iteration(thread, loop, first);
}
void AddressMonitor::reached(uint32_t thread, uint32_t site) {
  if (next_)
    next_->reached(thread, site);
}

} // namespace warpwright::vdevice
