#include "feedback/evaluators/virtual/execution/Runtime.h"

#include "feedback/evaluators/virtual/Monitor.h"
#include "feedback/evaluators/virtual/execution/BlockRunner.h"
#include "feedback/evaluators/virtual/execution/Print.h"
#include "feedback/evaluators/virtual/execution/ShortFloats.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

namespace warpwright::vdevice {
namespace {

using simt::AccessKind;

bool arriveBarrier(ThreadContext *thread, uint32_t place, uint32_t kind, uint32_t index, uint32_t count,
                   uint32_t predicate) {
  return thread->runner->barrier(*thread, place, static_cast<BarrierKind>(kind), index, count, predicate);
}

bool arriveCollective(ThreadContext *thread, uint32_t place, uint32_t kind, uint32_t mask, uint64_t value,
                      uint32_t second, uint32_t third) {
  return thread->runner->collective(*thread, place, static_cast<CollectiveKind>(kind), mask, value, second,
                                    third);
}

bool arriveActiveMask(ThreadContext *thread, uint32_t place) {
  return thread->runner->activeMask(*thread, place);
}

bool arriveYield(ThreadContext *thread) {
  return thread->runner->yield(*thread);
}

bool arriveSteps(ThreadContext *thread, uint32_t place) {
  return thread->runner->steps(*thread, place);
}

uint64_t result(ThreadContext *thread) {
  return thread->runner->result(*thread);
}

/// The same for threads with stacks of their own: they wait in the call.
template <auto arrive, typename Result, typename... Parameters>
Result waitFor(ThreadContext *thread, Parameters... parameters) {
  if (!arrive(thread, parameters...))
    thread->runner->handOver();
  if constexpr (!std::is_void_v<Result>)
    return static_cast<Result>(thread->runner->result(*thread));
}

void exitThread(ThreadContext *thread) {
  thread->runner->exit(*thread);
}

void blockBarrier(ThreadContext *thread) {
  thread->runner->allCame();
}

void threadEnd(ThreadContext *thread) {
  thread->monitor->threadEnd(thread->linear);
}

void fence(ThreadContext *thread) {
  thread->monitor->fence(thread->linear);
}

void iteration(ThreadContext *thread, uint32_t loop, uint32_t first) {
  thread->monitor->iteration(thread->linear, loop, first != 0);
}

void reached(ThreadContext *thread, uint32_t site) {
  thread->monitor->reached(thread->linear, site);
}

void trap(ThreadContext *thread, uint32_t place) {
  thread->runner->fail(*thread, FaultKind::Trap, place, "executes a trap");
}

void assertFailed(ThreadContext *thread, uint32_t place, const char *message) {
  thread->runner->fail(*thread, FaultKind::AssertFailed, place, std::string("finds ") + message + " false");
}

uint64_t access(ThreadContext *thread, uint32_t site, uint64_t address, uint32_t bytes, uint32_t kind) {
  Access access;
  access.site = site;
  access.thread = thread->linear;
  access.address = address;
  access.bytes = bytes;
  access.kind = static_cast<AccessKind>(kind);
  return thread->monitor->access(access);
}

uint64_t accessValue(ThreadContext *thread, uint32_t site, uint64_t address, uint32_t bytes, uint32_t kind,
                     uint64_t value) {
  Access access;
  access.site = site;
  access.thread = thread->linear;
  access.address = address;
  access.bytes = bytes;
  access.kind = static_cast<AccessKind>(kind);
  access.hasValue = true;
  access.value = value;
  return thread->monitor->access(access);
}

uint32_t atomicAddBFloats(ThreadContext *thread, uint32_t site, uint8_t *to, uint32_t bits, uint32_t packed) {
  if (thread->monitor)
    to = reinterpret_cast<uint8_t *>(access(thread, site, reinterpret_cast<uint64_t>(to), packed ? 4 : 2,
                                            static_cast<uint32_t>(AccessKind::Atomic)));
  return atomicAddBFloat(to, bits, packed != 0);
}

/// See flushAtomicSums().
float atomicAddFloat(ThreadContext *thread, uint8_t *to, float addend) {
  bool flushes = !thread->runner->isShared(to);
  auto flushed = [&](float value) {
    return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
  };
  auto *word = reinterpret_cast<uint32_t *>(to);
  uint32_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST), sum = 0;
  do
    sum = std::bit_cast<uint32_t>(flushed(flushed(std::bit_cast<float>(old)) + flushed(addend)));
  while (!__atomic_compare_exchange_n(word, &old, sum, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return std::bit_cast<float>(old);
}

/// `bytes` to shared memory, of which `size` are copied and the others zero.
void asyncCopy(ThreadContext *thread, uint32_t site, uint8_t *to, const uint8_t *from, uint32_t bytes,
               uint32_t size) {
  AsyncCopies::Copy copy;
  bytes = std::min<uint32_t>(bytes, AsyncCopies::mostBytes);
  size = std::min(size, bytes);
  auto target = reinterpret_cast<uint64_t>(to);
  if (thread->monitor) {
    constexpr auto kind = static_cast<uint32_t>(AccessKind::AsyncCopy);
    if (size)
      from = reinterpret_cast<const uint8_t *>(
          access(thread, site, reinterpret_cast<uint64_t>(from), size, kind));
    target = access(thread, site + 1, target, bytes, kind);
  }
  std::memcpy(copy.data, from, size);
  copy.access = {site + 1, thread->linear, target, bytes, AccessKind::AsyncCopy, false, 0};
  thread->runner->copies().issue(thread->linear, copy);
}

void asyncCommit(ThreadContext *thread) {
  thread->runner->copies().commit(thread->linear);
}

void asyncWait(ThreadContext *thread, uint32_t pending) {
  thread->runner->copies().wait(thread->linear, pending, thread->monitor);
}

void asyncWaitAll(ThreadContext *thread) {
  thread->runner->copies().waitForAll(thread->linear, thread->monitor);
}

uint8_t *enterFrame(ThreadContext *thread, uint64_t offset, uint64_t bytes) {
  if (thread->recursionTop + bytes > recursionStack)
    thread->runner->fail(*thread, FaultKind::StepLimit, 0, "calls itself too deeply for its stack");
  uint8_t *frame = thread->local + offset + thread->recursionTop;
  thread->recursionTop += bytes;
  return frame;
}

bool isShared(ThreadContext *thread, const uint8_t *address) {
  return thread->runner->isShared(address);
}

bool isLocal(ThreadContext *thread, const uint8_t *address) {
  return thread->runner->isLocal(*thread, address);
}

bool isConstant(ThreadContext *thread, const uint8_t *address) {
  return thread->runner->isConstant(address);
}

bool isGlobal(ThreadContext *thread, const uint8_t *address) {
  return !isShared(thread, address) && !isLocal(thread, address) && !isConstant(thread, address);
}

uint64_t clock() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

uint32_t print(ThreadContext *thread, const char *format, const uint8_t *arguments) {
  unsigned count = 0;
  thread->runner->print(formatText(format, arguments, count));
  return count;
}

} // namespace

std::vector<RuntimeFunction> runtimeFunctions() {
  std::vector<RuntimeFunction> functions = {
      {"warpwright.access", addressOf(access)},
      {"warpwright.access_value", addressOf(accessValue)},
      {"warpwright.active_mask", addressOf(waitFor<arriveActiveMask, uint32_t, uint32_t>)},
      {"warpwright.active_mask_arrive", addressOf(arriveActiveMask)},
      {"warpwright.assert_failed", addressOf(assertFailed)},
      {"warpwright.async_commit", addressOf(asyncCommit)},
      {"warpwright.async_copy", addressOf(asyncCopy)},
      {"warpwright.async_wait", addressOf(asyncWait)},
      {"warpwright.async_wait_all", addressOf(asyncWaitAll)},
      {"warpwright.atomic_add_bf16", addressOf(atomicAddBFloats)},
      {"warpwright.atomic_add_f32", addressOf(atomicAddFloat)},
      {"warpwright.barrier",
       addressOf(waitFor<arriveBarrier, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>)},
      {"warpwright.barrier_arrive", addressOf(arriveBarrier)},
      {"warpwright.block_barrier", addressOf(blockBarrier)},
      {"warpwright.clock", addressOf(clock)},
      {"warpwright.collective",
       addressOf(
           waitFor<arriveCollective, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t, uint32_t, uint32_t>)},
      {"warpwright.collective_arrive", addressOf(arriveCollective)},
      {"warpwright.enter_frame", addressOf(enterFrame)},
      {"warpwright.exit", addressOf(exitThread)},
      {"warpwright.fence", addressOf(fence)},
      {"warpwright.is_const", addressOf(isConstant)},
      {"warpwright.is_global", addressOf(isGlobal)},
      {"warpwright.is_local", addressOf(isLocal)},
      {"warpwright.is_shared", addressOf(isShared)},
      {"warpwright.iteration", addressOf(iteration)},
      {"warpwright.print", addressOf(print)},
      {"warpwright.reached", addressOf(reached)},
      {"warpwright.result", addressOf(result)},
      {"warpwright.steps", addressOf(waitFor<arriveSteps, void, uint32_t>)},
      {"warpwright.steps_arrive", addressOf(arriveSteps)},
      {"warpwright.thread_end", addressOf(threadEnd)},
      {"warpwright.trap", addressOf(trap)},
      {"warpwright.yield", addressOf(waitFor<arriveYield, void>)},
      {"warpwright.yield_arrive", addressOf(arriveYield)},
  };
  addRuntimeArithmetic(functions);
  addShortFloats(functions);
  addShadowRuntime(functions);
  return functions;
}

} // namespace warpwright::vdevice
