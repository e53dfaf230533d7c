#include "feedback/evaluators/virtual/execution/BlockRunner.h"

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/execution/WildAccess.h"

#include <llvm/ADT/StringExtras.h>

#include <bit>
#include <utility>

namespace warpwright::vdevice {

using boost::context::detail::jump_fcontext;
using boost::context::detail::transfer_t;

namespace {} // namespace

void BlockRunner::run() {
  WildAccess guard(monitor_ ? nullptr : this);
  while (!launch_.stopped) {
    uint64_t number = launch_.next++;
    if (number >= launch_.blocks)
      return;
    __extension__ using Wide = unsigned __int128;
    runBlock(static_cast<uint64_t>((Wide(number) * launch_.orderStep + launch_.orderFirst) % launch_.blocks));
  }
}

void BlockRunner::runBlock(uint64_t block) {
  block_ = block;
  givenUp_ = false;
  copies_.beginBlock();
  Dim3 index = delinearise(block, launch_.request.launch.grid);
  for (ThreadContext &context : contexts_) {
    context.block[0] = static_cast<uint32_t>(index.x);
    context.block[1] = static_cast<uint32_t>(index.y);
    context.block[2] = static_cast<uint32_t>(index.z);
    context.stepsLeft = launch_.request.stepLimit;
    context.recursionTop = 0;
  }
  if (monitor_) {
    BlockPlace place;
    place.block = block;
    place.threads = threadCount_;
    place.shared = reinterpret_cast<uint64_t>(shared_.data() + systemShared);
    place.local = reinterpret_cast<uint64_t>(local_.data());
    place.localBytes = launch_.kernel.local.bytes;
    monitor_->beginBlock(place);
  }
  if (launch_.code.block || launch_.code.coroutine)
    runOnFibre();
  else
    schedule();
  if (monitor_)
    monitor_->endBlock();
}

/// All threads on one fibre.
void BlockRunner::runOnFibre() {
  current_ = 0;
  fibres_.resume(0, this);
  if (givenUp_)
    fibres_.restart(0);
}

void BlockRunner::fibreMain(transfer_t from) {
  auto *runner = static_cast<BlockRunner *>(from.data);
  runner->scheduler_ = from.fctx;
  for (;;) {
    runner->runThreads();
    runner->handOver();
  }
}

/// What a fibre does: its own thread, or all of the block.
void BlockRunner::runThreads() {
  ThreadContext &context = contexts_[current_];
  if (launch_.code.coroutine)
    return schedule();
  if (!launch_.code.block) {
    launch_.code.thread(&context);
    return threadEnded(context.linear);
  }
  if (!launch_.request.orderSeed)
    return launch_.code.block(&context);
  for (uint32_t warp : warpOrder_)
    for (uint32_t i = warp * warpSize; i < std::min((warp + 1) * warpSize, threadCount_); ++i) {
      launch_.code.thread(&contexts_[i]);
      if (monitor_)
        monitor_->threadEnd(i);
    }
}

void BlockRunner::handOver() {
  scheduler_ = jump_fcontext(scheduler_, nullptr).fctx;
}

/// Runs threads in turn until all have ended or none can go on.
void BlockRunner::schedule() {
  live_ = threadCount_;
  barriers_.fill(Barrier());
  openBarriers_ = 0;
  for (std::vector<uint32_t> &arrivals : arrivals_)
    arrivals.clear();
  for (uint32_t i = 0; i < threadCount_; ++i) {
    threads_[i].state = State::Runnable;
    threads_[i].started = false;
  }
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    uint32_t lanes = std::min(threadCount_ - w * warpSize, warpSize);
    uint32_t all = lanes == warpSize ? ~uint32_t(0) : (uint32_t(1) << lanes) - 1;
    warps_[w] = {all, all, all, 0, 0, 0};
  }
  while (live_ > 0 && !givenUp_) {
    bool progress = false;
    for (uint32_t warp : warpOrder_)
      progress |= runWarp(warp);
    if (!progress && !resumeYielded()) {
      reportStuck();
      break;
    }
  }
  if (givenUp_ && !launch_.code.coroutine)
    for (uint32_t i = 0; i < threadCount_; ++i)
      if (threads_[i].state != State::Exited)
        fibres_.restart(i);
}

/// Runs the lanes of a warp until all wait.
bool BlockRunner::runWarp(uint32_t index) {
  Warp &warp = warps_[index];
  bool progress = false;
  for (;;) {
    while (warp.runnable && !givenUp_) {
      uint32_t lane = static_cast<uint32_t>(std::countr_zero(warp.runnable));
      warp.runnable &= warp.runnable - 1;
      resume(index * warpSize + lane);
      progress = true;
    }
    if (!warp.atActiveMask || givenUp_)
      return progress;
    resolveActiveMasks(index);
  }
}

void BlockRunner::resume(uint32_t thread) {
  current_ = thread;
  if (!launch_.code.coroutine) {
    fibres_.resume(thread, this);
    if (std::exchange(leftEarly_, false))
      fibres_.restart(thread);
    return;
  }
  void *frame = frames_.data() + thread * frameBytes_;
  CoroutineResume &next = *static_cast<CoroutineResume *>(frame);
  if (threads_[thread].started) {
    next(frame);
  } else {
    threads_[thread].started = true;
    launch_.code.coroutine(&contexts_[thread], frame);
  }
  if (!next)
    threadEnded(thread);
}

/// The lanes that stand at the place of the lowest one, once no lane of the warp can run.
void BlockRunner::resolveActiveMasks(uint32_t index) {
  Warp &warp = warps_[index];
  uint32_t place = laneOf(index, static_cast<uint32_t>(std::countr_zero(warp.atActiveMask))).place;
  uint32_t group = 0;
  for (uint32_t rest = warp.atActiveMask; rest; rest &= rest - 1) {
    uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (laneOf(index, lane).place == place)
      group |= uint32_t(1) << lane;
  }
  for (uint32_t rest = group; rest; rest &= rest - 1) {
    uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
    laneOf(index, lane).value = group;
    setRunnable(index * warpSize + lane);
  }
  warp.atActiveMask &= ~group;
}

bool BlockRunner::resumeYielded() {
  bool any = false;
  for (Warp &warp : warps_) {
    any |= warp.yielded != 0;
    warp.runnable |= warp.yielded;
    warp.yielded = 0;
  }
  return any;
}

void BlockRunner::setRunnable(uint32_t thread) {
  threads_[thread].state = State::Runnable;
  Warp &warp = warps_[thread / warpSize];
  warp.runnable |= uint32_t(1) << thread % warpSize;
  warp.atCollective &= ~(uint32_t(1) << thread % warpSize);
}

void BlockRunner::threadEnded(uint32_t thread) {
  uint32_t index = thread / warpSize;
  uint32_t bit = uint32_t(1) << thread % warpSize;
  threads_[thread].state = State::Exited;
  warps_[index].live &= ~bit;
  --live_;
  if (monitor_)
    monitor_->threadEnd(thread);
  for (uint32_t open = openBarriers_; open; open &= open - 1)
    releaseIfComplete(static_cast<uint32_t>(std::countr_zero(open)));
  // Those that wait for this lane among others wait no longer.
  for (uint32_t rest = warps_[index].atCollective; rest; rest &= rest - 1) {
    Thread &lane = laneOf(index, static_cast<uint32_t>(std::countr_zero(rest)));
    if (lane.state == State::AtCollective && (lane.mask & bit))
      completeIfAllCame(index, lane.mask, lane.kind);
  }
}

void BlockRunner::exit(ThreadContext &thread) {
  threadEnded(thread.linear);
  leftEarly_ = true;
  handOver();
  std::abort();
}

bool BlockRunner::yield(ThreadContext &thread) {
  if (launch_.code.block)
    return true;
  warps_[thread.warp].yielded |= uint32_t(1) << thread.lane;
  threads_[thread.linear].state = State::Yielded;
  return false;
}

bool BlockRunner::steps(ThreadContext &thread, uint32_t place) {
  if (thread.stepsLeft == 0)
    fail(thread, FaultKind::StepLimit, place,
         "is still in a loop after " + std::to_string(launch_.request.stepLimit) + " iterations");
  return yield(thread);
}

void BlockRunner::giveUp() {
  givenUp_ = true;
  launch_.stopped = true;
}

void BlockRunner::fail(ThreadContext &thread, FaultKind kind, uint32_t place, std::string deed) {
  report(kind, Severity::Error, thread.linear, place, std::move(deed));
  // Nothing that is on this stack is ever returned to, so it must own nothing.
  std::string().swap(deed);
  giveUp();
  handOver();
  std::abort();
}

void BlockRunner::wildAccess(uint64_t address) {
  {
    std::scoped_lock lock(launch_.mutex);
    launch_.wild = {block_, address, address - reinterpret_cast<uint64_t>(shared_.data() + systemShared)};
  }
  // Where threads are a loop it is not known which of them it was.
  const char *subject = launch_.code.block ? ", as another thread of its block may" : "";
  fail(contexts_[current_], FaultKind::OutOfBounds, 0,
       "touches memory at 0x" + llvm::utohexstr(address, /*LowerCase=*/true) + ", which belongs to nothing" +
           subject);
}

void BlockRunner::print(const std::string &text) {
  std::scoped_lock lock(launch_.mutex);
  launch_.printed[block_] += text;
}

bool BlockRunner::isConstant(const uint8_t *address) const {
  const MemoryRange *range = launch_.request.memory->find(reinterpret_cast<uint64_t>(address));
  return range && range->space == simt::AccessSpace::Constant;
}

bool BlockRunner::isShared(const uint8_t *address) const {
  return shared_.holds(address);
}

/// Local arrays are on the stack where nobody watches them.
bool BlockRunner::isLocal(const ThreadContext &thread, const uint8_t *address) const {
  return local_.holds(address) || frames_.holds(address) || fibres_.holds(address);
}

ThreadPosition BlockRunner::positionOf(uint32_t thread) const {
  return {delinearise(block_, launch_.request.launch.grid),
          delinearise(thread, launch_.request.launch.block)};
}

std::string BlockRunner::textOf(uint32_t place) const {
  const Place &known = placeOf(place);
  if (!known.known())
    return "";
  return known.file + ":" + std::to_string(known.line) + ":" + std::to_string(known.column) + ": ";
}

const Place &BlockRunner::placeOf(uint32_t place) const {
  static const Place unknown;
  return place < launch_.code.places.size() ? launch_.code.places[place] : unknown;
}

FaultParty BlockRunner::party(uint32_t thread, uint32_t place, std::string deed) const {
  return {placeOf(place), positionOf(thread), std::move(deed)};
}

void BlockRunner::report(FaultKind kind, Severity severity, uint32_t thread, uint32_t place, std::string deed,
                         std::optional<FaultParty> other) {
  Fault fault;
  fault.kind = kind;
  fault.severity = severity;
  fault.party = party(thread, place, std::move(deed));
  fault.other = std::move(other);
  launch_.report(std::move(fault));
}

} // namespace warpwright::vdevice
