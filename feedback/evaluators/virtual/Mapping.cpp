#include "feedback/evaluators/virtual/Mapping.h"

#include <sys/mman.h>
#include <unistd.h>

namespace warpwright::vdevice {

/// Below this many bytes large pages would take more memory than they save time.
static constexpr uint64_t hugeFrom = uint64_t(16) << 20;

static uint8_t *map(uint64_t bytes, int protection) {
  void *begin = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return begin == MAP_FAILED ? nullptr : static_cast<uint8_t *>(begin);
}

Mapping Mapping::reserve(uint64_t bytes) {
  return {map(bytes, PROT_NONE), bytes};
}

Mapping Mapping::zeroed(uint64_t bytes) {
  uint8_t *begin = map(bytes, PROT_READ | PROT_WRITE);
#ifdef MADV_HUGEPAGE
  // Records that lie far apart cost a walk through the page tables each; whether the system listens is its own
  // affair.
  if (begin && bytes >= hugeFrom)
    madvise(begin, bytes, MADV_HUGEPAGE);
#endif
  return {begin, bytes};
}

bool Mapping::open(uint64_t offset, uint64_t bytes) {
  return bytes == 0 || mprotect(begin_ + offset, bytes, PROT_READ | PROT_WRITE) == 0;
}

void Mapping::release() {
  if (begin_)
    munmap(begin_, bytes_);
}

uint64_t Mapping::pageBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t Mapping::physicalBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * pageBytes();
}

} // namespace warpwright::vdevice
