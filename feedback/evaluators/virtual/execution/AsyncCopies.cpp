#include "feedback/evaluators/virtual/execution/AsyncCopies.h"

#include <cstring>

namespace warpwright::vdevice {

AsyncCopies::Thread &AsyncCopies::of(uint32_t thread) {
  if (thread >= threads_.size())
    threads_.resize(thread + 1);
  return threads_[thread];
}

void AsyncCopies::issue(uint32_t thread, const Copy &copy) {
  of(thread).copies.push_back(copy);
}

void AsyncCopies::commit(uint32_t thread) {
  Thread &own = of(thread);
  own.groups.push_back(own.copies.size());
}

void AsyncCopies::wait(uint32_t thread, uint32_t pending, Monitor *monitor) {
  Thread &own = of(thread);
  if (own.groups.size() <= pending)
    return;
  size_t ended = own.groups.size() - pending;
  size_t count = own.groups[ended - 1];
  finish(own, count, monitor);
  own.groups.erase(own.groups.begin(), own.groups.begin() + static_cast<std::ptrdiff_t>(ended));
  for (size_t &end : own.groups)
    end -= count;
}

void AsyncCopies::waitForAll(uint32_t thread, Monitor *monitor) {
  Thread &own = of(thread);
  finish(own, own.copies.size(), monitor);
  own.groups.clear();
}

void AsyncCopies::finish(Thread &thread, size_t count, Monitor *monitor) {
  for (size_t i = 0; i < count; ++i) {
    const Copy &copy = thread.copies[i];
    if (monitor)
      monitor->copied(copy.access);
    std::memcpy(reinterpret_cast<void *>(copy.access.address), copy.data, copy.access.bytes);
  }
  thread.copies.erase(thread.copies.begin(), thread.copies.begin() + static_cast<std::ptrdiff_t>(count));
}

} // namespace warpwright::vdevice
