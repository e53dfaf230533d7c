#include "feedback/evaluators/cuda/runner/StreamTimer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace warpwright::runner {

Fallible<StreamTimer> StreamTimer::create(const Device &device) {
  StreamTimer timer(device);
  const Driver &driver = device.driver();
  for (cuda::Event *event : {&timer.begin_, &timer.end_})
    if (Problem problem = driver.check(driver->eventCreate(event, cuda::eventDefault), "making an event"))
      return *problem;
  if (!driver->streamWaitValue)
    return timer;
  Fallible<HostArray> word = HostArray::allocate(device, 64);
  if (!word)
    return word.failure();
  Gate gate;
  gate.word = std::move(*word);
  std::memset(gate.word.data(), 0, 64);
  bool works =
      driver->hostGetDevicePointer(&gate.address, gate.word.data(), 0) == cuda::success &&
      // Waits for at least 0, which holds: only whether such waits are supported is asked.
      driver->streamWaitValue(device.stream(), gate.address, 0, cuda::waitUntilAtLeast) == cuda::success &&
      driver->streamSynchronize(device.stream()) == cuda::success;
  if (works)
    timer.gate_ = std::move(gate);
  return timer;
}

Problem StreamTimer::closeGate(const BoundPlan &plan) {
  if (!gate_)
    return std::nullopt;
  const Driver &driver = device_->driver();
  ++gate_->ticket;
  for (unsigned stream : plan.streams())
    if (Problem problem = driver.check(driver->streamWaitValue(device_->stream(stream), gate_->address,
                                                               gate_->ticket, cuda::waitUntilAtLeast),
                                       "holding a stream"))
      return problem;
  return std::nullopt;
}

void StreamTimer::openGate() {
  if (gate_)
    std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t *>(gate_->word.data()))
        .store(gate_->ticket, std::memory_order_seq_cst);
}

Problem StreamTimer::enqueue(const BoundPlan &plan, unsigned count, bool &refused) {
  const Driver &driver = device_->driver();
  auto record = [&](cuda::Event event, unsigned stream) {
    return driver.check(driver->eventRecord(event, device_->stream(stream)), "recording an event");
  };
  if (Problem problem = record(begin_, 0))
    return problem;
  refused = true;
  for (unsigned run = 0; run < count; ++run)
    if (Problem problem = plan.enqueue())
      return problem;
  refused = false;
  for (unsigned stream : plan.streams()) {
    if (stream == 0)
      continue;
    cuda::Event &event = otherEnds_[stream];
    if (!event)
      if (Problem problem = driver.check(driver->eventCreate(&event, cuda::eventDefault), "making an event"))
        return problem;
    if (Problem problem = record(event, stream))
      return problem;
  }
  return record(end_, 0);
}

Fallible<double> StreamTimer::microsecondsBetween(cuda::Event first, cuda::Event second) const {
  float milliseconds = 0;
  const Driver &driver = device_->driver();
  if (Problem problem = driver.check(driver->eventElapsed(&milliseconds, first, second), "reading events"))
    return *problem;
  return static_cast<double>(milliseconds) * 1000;
}

std::variant<StreamTimer::Time, StreamTimer::Error> StreamTimer::time(const BoundPlan &plan, unsigned count) {
  using Clock = std::chrono::steady_clock;
  const Driver &driver = device_->driver();
  bool refused = false;
  Problem problem = closeGate(plan);
  if (!problem)
    problem = enqueue(plan, count, refused);
  openGate(); // whatever happened: a closed gate would hold the device for good
  if (!problem)
    problem = driver.check(driver->eventSynchronize(end_), "running");
  auto seen = Clock::now();
  if (!problem)
    problem = device_->synchronize();
  if (problem)
    return Error{*problem, refused};
  Time time;
  time.afterEnd = std::chrono::duration<double, std::micro>(Clock::now() - seen).count();
  Fallible<double> elapsed = microsecondsBetween(begin_, end_);
  if (!elapsed)
    return Error{elapsed.failure(), false};
  time.microseconds = *elapsed;
  for (unsigned stream : plan.streams()) {
    if (stream == 0)
      continue;
    Fallible<double> later = microsecondsBetween(end_, otherEnds_[stream]);
    if (!later)
      return Error{later.failure(), false};
    time.otherStreams = std::max(time.otherStreams, *later);
  }
  return time;
}

} // namespace warpwright::runner
