#include "feedback/evaluators/virtual/execution/WildAccess.h"

#include "feedback/evaluators/virtual/execution/BlockRunner.h"

#include <cstdlib>
#include <mutex>

#include <csignal>

namespace warpwright::vdevice {
namespace {

constexpr size_t stackBytes = 65536;

/// A handler is the process's and is given nothing, so that what it needs can only be here.
thread_local BlockRunner *guarded = nullptr;
struct sigaction segmentationBefore, busBefore;

/// Not to be reset by the runner's leaving: the signal stays open for the next one (SA_NODEFER).
void handle(int number, siginfo_t *information, void *) {
  if (guarded)
    guarded->wildAccess(reinterpret_cast<uint64_t>(information->si_addr));
  // Somebody else's: as it was before us, when the instruction is run again.
  sigaction(number, number == SIGBUS ? &busBefore : &segmentationBefore, nullptr);
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, &segmentationBefore);
  sigaction(SIGBUS, &action, &busBefore);
}

} // namespace

WildAccess::WildAccess(BlockRunner *runner) {
  if (!runner)
    return;
  static std::once_flag once;
  std::call_once(once, install);
  // A stack that has no room left is found, too.
  stack_ = std::malloc(stackBytes);
  stack_t stack = {};
  stack.ss_sp = stack_;
  stack.ss_size = stackBytes;
  sigaltstack(&stack, nullptr);
  guarded = runner;
}

WildAccess::~WildAccess() {
  if (!stack_)
    return;
  guarded = nullptr;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  std::free(stack_);
}

} // namespace warpwright::vdevice
