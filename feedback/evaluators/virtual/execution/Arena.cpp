#include "feedback/evaluators/virtual/execution/Arena.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace warpwright::vdevice {

llvm::Expected<Arena> Arena::create(size_t bytes) {
  Arena arena;
  arena.bytes_ = std::max(bytes, pageBytes());
  void *data =
      mmap(nullptr, arena.bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return llvm::createStringError(std::error_code(errno, std::generic_category()),
                                   "cannot reserve " + std::to_string(bytes) + " bytes");
  arena.data_ = static_cast<uint8_t *>(data);
  return arena;
}

Arena::Arena(Arena &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Arena::~Arena() {
  if (data_)
    munmap(data_, bytes_);
}

void Arena::protect(size_t offset, size_t bytes) {
  mprotect(data_ + offset, bytes, PROT_NONE);
}

size_t Arena::pageBytes() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace warpwright::vdevice
