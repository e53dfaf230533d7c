#pragma once

#include "feedback/evaluators/virtual/execution/AsyncCopies.h"
#include "feedback/evaluators/virtual/execution/CollectiveKind.h"
#include "feedback/evaluators/virtual/execution/Fibres.h"
#include "feedback/evaluators/virtual/execution/LaunchState.h"
#include "feedback/evaluators/virtual/execution/ThreadContext.h"

#include <array>
#include <memory>

namespace warpwright::vdevice {

/// Runs blocks, one after the other, on one thread of the host. The kernel's code calls back into it where
/// threads meet; such a call may hand over to another fibre, and returns when its thread goes on.
class BlockRunner {
public:
  static llvm::Expected<std::unique_ptr<BlockRunner>> create(LaunchState &launch, Monitor *monitor);

  /// Runs blocks until none is left or the launch is stopped.
  void run();

  // Called by the code of the kernel, through the runtime. The first ones say whether the thread may go on at
  // once; if not it must hand over to others. When it goes on, result() is what it gets.
  bool barrier(ThreadContext &thread, uint32_t place, BarrierKind kind, uint32_t barrier, uint32_t count,
               bool predicate);
  /// All threads have come to a barrier, and nobody need wait: where threads are loops between barriers.
  void allCame() { monitor_->barrier(everyone_); }
  bool collective(ThreadContext &thread, uint32_t place, CollectiveKind kind, uint32_t mask, uint64_t value,
                  uint32_t second, uint32_t third);
  bool activeMask(ThreadContext &thread, uint32_t place);
  /// Lets other threads of the block run.
  bool yield(ThreadContext &thread);
  /// Checks the step limit, and yields.
  bool steps(ThreadContext &thread, uint32_t place);
  uint64_t result(const ThreadContext &thread) const { return threads_[thread.linear].value; }
  /// Runs others until this thread may go on, which it does on its own stack.
  void handOver();
  [[noreturn]] void exit(ThreadContext &thread);
  /// Reports the fault and gives the block up, and with it the launch.
  [[noreturn]] void fail(ThreadContext &thread, FaultKind kind, uint32_t place, std::string deed);
  /// The thread that runs touched memory that belongs to nothing; as fail().
  [[noreturn]] void wildAccess(uint64_t address);
  void print(const std::string &text);
  /// "a.cu:3:5: ", or nothing where the place is not known.
  std::string textOf(uint32_t place) const;
  AsyncCopies &copies() { return copies_; }
  bool isConstant(const uint8_t *address) const;
  bool isShared(const uint8_t *address) const;
  bool isLocal(const ThreadContext &thread, const uint8_t *address) const;

private:
  enum class State : uint8_t { Runnable, AtBarrier, AtCollective, AtActiveMask, Yielded, Exited };

  struct Thread {
    State state = State::Runnable;
    bool started = false;
    uint8_t barrier = 0;
    uint32_t place = 0; ///< where it waits
    CollectiveKind kind = CollectiveKind::Synchronise;
    uint32_t mask = 0;
    uint32_t second = 0;
    uint32_t third = 0;
    uint64_t value = 0; ///< given by the thread, then the result
  };

  struct Warp {
    uint32_t existing = 0; ///< lanes that the block has
    uint32_t live = 0;     ///< those that have not exited
    uint32_t runnable = 0;
    uint32_t atCollective = 0;
    uint32_t atActiveMask = 0;
    uint32_t yielded = 0;
  };

  struct Barrier {
    uint32_t arrived = 0;
    uint32_t expected = 0; ///< 0: all live threads
    uint32_t count = 0;    ///< of predicates that hold
    uint32_t firstThread = 0;
    uint32_t firstPlace = 0;
    BarrierKind kind = BarrierKind::Plain;
    bool mismatchSeen = false;
  };

  BlockRunner(LaunchState &launch, Monitor *monitor) : launch_(launch), monitor_(monitor) {}
  llvm::Error prepare();
  void prepareThreads();

  static void fibreMain(boost::context::detail::transfer_t from);

  void runBlock(uint64_t block);
  void runOnFibre();
  void runThreads();
  void schedule();
  void resume(uint32_t thread);
  bool runWarp(uint32_t warp);
  void resolveActiveMasks(uint32_t warp);
  bool resumeYielded();
  void reportStuck();
  void giveUp();

  void threadEnded(uint32_t thread);

  void releaseIfComplete(uint32_t barrier);
  void complete(uint32_t barrier);
  void completeIfAllCame(uint32_t warp, uint32_t mask, CollectiveKind kind);
  void perform(uint32_t warp, uint32_t lanes, uint32_t mask, CollectiveKind kind);
  void performMatrix(uint32_t warp, uint32_t lanes);
  uint64_t shuffled(uint32_t warp, uint32_t lane, uint32_t lanes, CollectiveKind kind);
  void passShadow(uint32_t warp, uint32_t lane, std::optional<uint32_t> source);
  void setRunnable(uint32_t thread);

  ThreadPosition positionOf(uint32_t thread) const;
  const Place &placeOf(uint32_t place) const;
  void report(FaultKind kind, Severity severity, uint32_t thread, uint32_t place, std::string deed,
              std::optional<FaultParty> other = std::nullopt);
  FaultParty party(uint32_t thread, uint32_t place, std::string deed) const;

  Thread &laneOf(uint32_t warp, uint32_t lane) { return threads_[warp * 32 + lane]; }

  LaunchState &launch_;
  Monitor *monitor_;
  uint64_t block_ = 0;
  uint32_t threadCount_ = 0;
  uint32_t live_ = 0;
  bool givenUp_ = false;
  bool leftEarly_ = false; ///< the thread that just handed over has exited in its middle
  Arena shared_;
  Arena local_;
  std::vector<ThreadContext> contexts_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<uint32_t> warpOrder_;
  std::vector<uint32_t> everyone_; ///< all threads of a block
  static constexpr unsigned barrierCount = 16;
  std::array<Barrier, barrierCount> barriers_;
  uint32_t openBarriers_ = 0; ///< bit i: somebody has come to barrier i
  AsyncCopies copies_;
  Fibres fibres_;
  Arena frames_; ///< of coroutines, or what threads keep between regions
  size_t frameBytes_ = 0;
  boost::context::detail::fcontext_t scheduler_ = nullptr;
  uint32_t current_ = 0;
  /// Who has come to each barrier, for the monitor.
  std::array<std::vector<uint32_t>, barrierCount> arrivals_;
};

} // namespace warpwright::vdevice
