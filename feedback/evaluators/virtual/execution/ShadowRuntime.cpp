// What code with a shadow calls beside its accesses. The numbers in memory are kept by address.

#include "feedback/evaluators/virtual/execution/BlockRunner.h"
#include "feedback/evaluators/virtual/execution/Runtime.h"
#include "feedback/evaluators/virtual/execution/ShadowMemory.h"

namespace warpwright::vdevice {
namespace {

double load(ThreadContext *thread, uint64_t address, uint32_t bytes, uint64_t bits, double fallback) {
  return thread->shadow->load(address, bytes, bits, fallback);
}

void store(ThreadContext *thread, uint64_t address, uint32_t bytes, uint64_t bits, double value) {
  thread->shadow->store(address, bytes, bits, value);
}

void forget(ThreadContext *thread, uint64_t address, uint64_t bytes) {
  thread->shadow->forget(address, bytes);
}

void copy(ThreadContext *thread, uint64_t to, uint64_t from, uint64_t bytes) {
  thread->shadow->copy(to, from, bytes);
}

void lose(ThreadContext *thread, uint32_t place, const char *reason) {
  if (thread->shadow->lost().empty())
    thread->shadow->lose(thread->runner->textOf(place) + reason);
}

void probe(ThreadContext *thread, uint64_t address, uint64_t bytes, uint32_t place, const char *reason) {
  if (thread->shadow->lost().empty() && thread->shadow->holds(address, bytes))
    lose(thread, place, reason);
}

} // namespace

void addShadowRuntime(std::vector<RuntimeFunction> &functions) {
  functions.insert(functions.end(), {{"warpwright.shadow_copy", addressOf(copy)},
                                     {"warpwright.shadow_forget", addressOf(forget)},
                                     {"warpwright.shadow_load", addressOf(load)},
                                     {"warpwright.shadow_lose", addressOf(lose)},
                                     {"warpwright.shadow_probe", addressOf(probe)},
                                     {"warpwright.shadow_store", addressOf(store)}});
}

} // namespace warpwright::vdevice
