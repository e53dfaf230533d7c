#pragma once

#include "feedback/evaluators/cuda/runner/Correctness.h"
#include "feedback/evaluators/cuda/runner/StreamTimer.h"
#include "feedback/evaluators/cuda/runner/TimingVerdict.h"

#include <map>

namespace warpwright::runner {

/// Times original, its twin and the candidate on one shape: interleaved in random order, in rounds, in at
/// least two sessions. A round has one sample of each variant in each situation that still wants samples.
class Sampler {
public:
  /// `candidate` and `correctness` may be null: then the original is measured alone.
  Sampler(Bench &bench, StreamTimer &timer, const Variant &original, const Variant &twin,
          const Variant *candidate, Correctness *correctness);

  ~Sampler();
  Sampler(const Sampler &) = delete;
  Sampler &operator=(const Sampler &) = delete;

  /// Everything that can stop it is a fault while running, or results that are wrong while being timed.
  Ended measure();
  const Timings &timings() const { return timings_; }
  /// Runs that were timed together as one warm sample.
  unsigned batch() const { return batch_; }
  size_t sessions() const { return sessions_.size(); }

private:
  enum class Situation { Cold, Fresh, Warm };
  struct Task {
    const Variant *variant;
    Situation situation;
    std::vector<double> *times;
    std::vector<double> *afterEnd = nullptr;     ///< wanted of warm ones
    std::vector<double> *otherStreams = nullptr; ///< likewise
  };

  Ended warmUp(const Variant &variant, double &microseconds);
  Ended session();
  std::vector<Task> tasksOf(unsigned round, Timings &timings);
  Ended sample(const Task &task);
  Problem prepareWarm(const Variant &variant);
  Problem prepareFresh(const Variant &variant);
  Problem prepareCold();
  Problem loadSlot(unsigned slot);
  Ended timed(const Variant &variant, unsigned count, StreamTimer::Time &time);
  Ended checkFresh(const Variant &variant);
  bool enough(const Timings &timings, unsigned round, double seconds) const;

  Bench &bench_;
  StreamTimer &timer_;
  const Variant &original_;
  const Variant &twin_;
  const Variant *candidate_;
  Correctness *correctness_;
  Timings timings_; ///< of the last two sessions
  std::vector<Timings> sessions_;
  unsigned batch_ = 1;
  double slowest_ = 0;                            ///< microseconds a run, from the warm-up
  unsigned slot_ = 0;                             ///< whose inputs are in the buffers
  std::map<const Variant *, unsigned> lastSlots_; ///< that each ran on last
  uint64_t draws_ = 0;
  unsigned freshChecks_ = 0;
  cuda::DevicePointer flush_ = 0; ///< memory that is written to empty the cache
  uint64_t flushBytes_ = 0;
};

} // namespace warpwright::runner
