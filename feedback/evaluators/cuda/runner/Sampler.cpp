#include "feedback/evaluators/cuda/runner/Sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace warpwright::runner {
namespace {

using Clock = std::chrono::steady_clock;

// Short runs are timed many at once, until the events' own resolution (about half a microsecond) is below 1
// %.
constexpr double batchMicroseconds = 100;
constexpr unsigned largestBatch = 50;
constexpr size_t largestQueue =
    400; ///< steps behind a closed gate: the driver's queue holds about a thousand
// A run longer than this fills the cache with its own data in a small part of its time.
constexpr double warmedByItself = 2000;
constexpr double warmUpSeconds = 0.25;
constexpr unsigned fewestWarmUps = 3;
constexpr unsigned fewestRounds = 6; ///< a session; eleven and more in the two that count
constexpr unsigned mostSessions = 4;
constexpr double patience = 4; ///< a session may take as many times its share of the time for its confidence
constexpr uint64_t checkedBytes = 16 << 20; ///< outputs up to this size are checked after every fresh sample
constexpr unsigned largeChecks = 2;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void append(std::vector<double> &all, const std::vector<double> &more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append(Series &all, const Series &more) {
  append(all.original, more.original);
  append(all.candidate, more.candidate);
}

bool mediansAgree(const std::vector<double> &first, const std::vector<double> &second) {
  return first.empty() || second.empty() || agree(median(first), median(second));
}

} // namespace

Sampler::Sampler(Bench &bench, StreamTimer &timer, const Variant &original, const Variant &twin,
                 const Variant *candidate, Correctness *correctness)
    : bench_(bench), timer_(timer), original_(original), twin_(twin), candidate_(candidate),
      correctness_(correctness) {}

Sampler::~Sampler() {
  if (flush_)
    bench_.device().release(flush_);
}

Problem Sampler::loadSlot(unsigned slot) {
  // Inputs that are there already need not be copied again, but for those that runs overwrite.
  Problem problem = bench_.workspace().load(slot, /*onlyInPlace=*/slot == slot_);
  slot_ = slot;
  return problem;
}

Problem Sampler::prepareWarm(const Variant &variant) {
  if (Problem problem = loadSlot(0))
    return problem;
  if (slowest_ > warmedByItself)
    return std::nullopt;
  if (Problem problem = variant.plan->enqueue())
    return problem;
  return loadSlot(0);
}

Problem Sampler::prepareFresh(const Variant &variant) {
  unsigned slot = 1 - lastSlots_[&variant];
  if (Problem problem = loadSlot(slot))
    return problem;
  uint32_t poison = correctness_ ? correctness_->expectedPoison(slot) : plausiblePoison(draws_);
  return bench_.workspace().poison(poison);
}

Problem Sampler::prepareCold() {
  if (!flush_) {
    flushBytes_ = std::max<uint64_t>(3 * bench_.device().l2Bytes(), 1 << 20) / 4 * 4;
    Fallible<cuda::DevicePointer> memory = bench_.device().allocate(flushBytes_);
    if (!memory)
      return memory.failure();
    flush_ = *memory;
  }
  if (Problem problem = loadSlot(0))
    return problem;
  return bench_.device().fill(flush_, static_cast<uint32_t>(draws_), flushBytes_);
}

Ended Sampler::timed(const Variant &variant, unsigned count, StreamTimer::Time &time) {
  const Device &device = bench_.device();
  // Work before is over, and lines that an earlier run declared persisting are ordinary ones again.
  if (Problem problem = device.synchronize())
    return bench_.deviceFault(variant, *problem);
  if (device.driver()->contextResetPersisting)
    device.driver()->contextResetPersisting();
  std::variant<StreamTimer::Time, StreamTimer::Error> result = timer_.time(*variant.plan, count);
  if (auto *error = std::get_if<StreamTimer::Error>(&result))
    return error->refused ? Stop::of(bench_.fault(FaultKind::LaunchFailed, variant, error->failure.text))
                          : bench_.deviceFault(variant, error->failure);
  time = *std::get_if<StreamTimer::Time>(&result);
  return std::nullopt;
}

Ended Sampler::checkFresh(const Variant &variant) {
  bool small = bench_.shape().footprint() <= checkedBytes;
  if (!correctness_ || &variant != candidate_ || (!small && freshChecks_ >= largeChecks))
    return std::nullopt;
  ++freshChecks_;
  return correctness_->checkCurrent(slot_, "in a timed run");
}

Ended Sampler::sample(const Task &task) {
  const Variant &variant = *task.variant;
  ++draws_;
  bench_.messages().begin(bench_.shape().name + ": timing " + variant.name, variant.blame,
                          bench_.job().limits.runSeconds);
  Problem problem = task.situation == Situation::Warm    ? prepareWarm(variant)
                    : task.situation == Situation::Fresh ? prepareFresh(variant)
                                                         : prepareCold();
  if (problem)
    return bench_.deviceFault(variant, *problem);
  lastSlots_[&variant] = slot_;
  unsigned count = task.situation == Situation::Warm ? batch_ : 1;
  StreamTimer::Time time;
  if (Ended ended = timed(variant, count, time))
    return ended;
  task.times->push_back(time.microseconds / count);
  if (task.afterEnd)
    task.afterEnd->push_back(time.afterEnd);
  if (task.otherStreams)
    task.otherStreams->push_back(time.otherStreams / count);
  return task.situation == Situation::Fresh ? checkFresh(variant) : std::nullopt;
}

std::vector<Sampler::Task> Sampler::tasksOf(unsigned round, Timings &timings) {
  const Measure &measure = bench_.job().measure;
  std::vector<Task> tasks;
  tasks.push_back({&original_, Situation::Warm, &timings.warm.original, &timings.afterEnd.original});
  tasks.push_back({&twin_, Situation::Warm, &timings.twin});
  if (candidate_)
    tasks.push_back({candidate_, Situation::Warm, &timings.warm.candidate, &timings.afterEnd.candidate,
                     &timings.otherStreams.candidate});
  auto both = [&](Situation situation, Series &series, unsigned runs) {
    if (round >= (runs + 1) / 2)
      return;
    tasks.push_back({&original_, situation, &series.original});
    if (candidate_)
      tasks.push_back({candidate_, situation, &series.candidate});
  };
  both(Situation::Fresh, timings.fresh, measure.freshRuns);
  both(Situation::Cold, timings.cold, measure.coldRuns);
  // Fisher and Yates; the order is a function of how many samples there were.
  uint64_t key = values::streamKey(draws_, "order");
  for (size_t last = tasks.size() - 1; last > 0; --last)
    std::swap(tasks[last], tasks[values::bitsAt(key, last) % (last + 1)]);
  return tasks;
}

bool Sampler::enough(const Timings &timings, unsigned round, double seconds) const {
  double share = bench_.job().measure.secondsAShape / 2;
  if (round < fewestRounds || seconds < share)
    return false;
  bool confident = true;
  for (const std::vector<double> *times : {&timings.warm.original, &timings.warm.candidate, &timings.twin})
    confident &= times->empty() || relativeHalfWidth(*times) <= bench_.job().measure.confidence;
  return confident || seconds > patience * share;
}

Ended Sampler::session() {
  Timings timings;
  auto start = Clock::now();
  unsigned rounds = (bench_.job().measure.runs + 1) / 2;
  for (unsigned round = 0; round < rounds && !enough(timings, round, since(start)); ++round)
    for (const Task &task : tasksOf(round, timings))
      if (Ended ended = sample(task))
        return ended;
  sessions_.push_back(std::move(timings));
  return std::nullopt;
}

Ended Sampler::warmUp(const Variant &variant, double &microseconds) {
  auto start = Clock::now();
  unsigned wanted = std::max(bench_.job().measure.warmUps, fewestWarmUps);
  std::vector<double> times;
  while (times.size() < wanted && (times.size() < fewestWarmUps || since(start) < warmUpSeconds)) {
    if (Ended ended = sample({&variant, Situation::Warm, &times}))
      return ended;
  }
  microseconds = median(times);
  return std::nullopt;
}

Ended Sampler::measure() {
  slot_ = Workspace::slots; // unknown: the first load copies everything
  double fastest = INFINITY;
  for (const Variant *variant : {&original_, &twin_, candidate_}) {
    if (!variant)
      continue;
    double microseconds = 0;
    if (Ended ended = warmUp(*variant, microseconds))
      return ended;
    fastest = std::min(fastest, microseconds);
    slowest_ = std::max(slowest_, microseconds);
  }
  // Runs that work in place cannot be repeated without restoring, which must not be timed; and of runs that
  // use other streams, one would end in the time of the next.
  bool oneStream =
      original_.plan->streams().size() == 1 && (!candidate_ || candidate_->plan->streams().size() == 1);
  if (oneStream && !bench_.shape().writesInPlace()) {
    size_t steps = std::max(original_.plan->size(), candidate_ ? candidate_->plan->size() : 1);
    double wanted = std::ceil(batchMicroseconds / std::max(fastest, 0.1));
    batch_ = static_cast<unsigned>(std::clamp(wanted, 1.0, double(largestBatch)));
    batch_ = std::max<unsigned>(1, std::min<size_t>(batch_, largestQueue / steps));
  }
  bool stable = false;
  while (sessions_.size() < 2 || (!stable && sessions_.size() < mostSessions)) {
    if (Ended ended = session())
      return ended;
    if (sessions_.size() < 2)
      continue;
    const Timings &last = sessions_.back(), &before = sessions_[sessions_.size() - 2];
    stable = mediansAgree(before.warm.original, last.warm.original) &&
             mediansAgree(before.warm.candidate, last.warm.candidate) && mediansAgree(before.twin, last.twin);
  }
  for (size_t i = sessions_.size() - 2; i < sessions_.size(); ++i) {
    append(timings_.warm, sessions_[i].warm);
    append(timings_.fresh, sessions_[i].fresh);
    append(timings_.cold, sessions_[i].cold);
    append(timings_.twin, sessions_[i].twin);
    append(timings_.afterEnd, sessions_[i].afterEnd);
    append(timings_.otherStreams, sessions_[i].otherStreams);
  }
  timings_.stable = stable;
  return std::nullopt;
}

} // namespace warpwright::runner
