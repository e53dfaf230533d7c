#include "feedback/evaluators/virtual/LaunchWatch.h"

#include "feedback/evaluators/virtual/checks/CheckMonitor.h"
#include "feedback/evaluators/virtual/counters/CountMonitor.h"

#include <optional>

namespace warpwright::vdevice {
namespace {

/// Checks and counters of one worker. What is counted is the address that the kernel asked for.
class WatchMonitor final : public Monitor {
public:
  WatchMonitor(const WatchedLaunch &launch, LaunchChecks *checks, bool counters) {
    if (checks)
      checks_.emplace(*checks);
    if (counters)
      counts_.emplace(launch);
  }

  void beginBlock(const BlockPlace &place) override {
    forEach([&](auto &monitor) { monitor.beginBlock(place); });
  }
  uint64_t access(const Access &access) override {
    if (counts_)
      counts_->access(access);
    return checks_ ? checks_->access(access) : access.address;
  }
  void barrier(llvm::ArrayRef<uint32_t> threads) override {
    forEach([&](auto &monitor) { monitor.barrier(threads); });
  }
  void warpSync(uint32_t warp, uint32_t lanes) override {
    forEach([&](auto &monitor) { monitor.warpSync(warp, lanes); });
  }
  void endBlock() override {
    forEach([&](auto &monitor) { monitor.endBlock(); });
  }
  void threadEnd(uint32_t thread) override {
    forEach([&](auto &monitor) { monitor.threadEnd(thread); });
  }
  void fence(uint32_t thread) override {
    if (checks_)
      checks_->fence(thread);
  }
  void copied(const Access &access) override {
    if (checks_)
      checks_->copied(access);
  }
  void iteration(uint32_t thread, uint32_t loop, bool first) override {
    if (counts_)
      counts_->iteration(thread, loop, first);
  }
  void reached(uint32_t thread, uint32_t site) override {
    if (counts_)
      counts_->reached(thread, site);
  }

  const std::optional<CheckMonitor> &checks() const { return checks_; }
  const std::optional<CountMonitor> &counts() const { return counts_; }

private:
  template <typename Call> void forEach(Call call) {
    if (checks_)
      call(*checks_);
    if (counts_)
      call(*counts_);
  }

  std::optional<CheckMonitor> checks_;
  std::optional<CountMonitor> counts_;
};

} // namespace

class LaunchWatch::Implementation {
public:
  Implementation(const WatchedLaunch &watched, const Options &options) : launch(watched) {
    if (options.checks)
      checks.emplace(watched);
    for (unsigned i = 0; i < options.workers; ++i)
      monitors.push_back(
          std::make_unique<WatchMonitor>(watched, checks ? &*checks : nullptr, options.counters));
  }

  WatchedLaunch launch;
  std::optional<LaunchChecks> checks;
  std::vector<std::unique_ptr<WatchMonitor>> monitors;
};

LaunchWatch::LaunchWatch(const WatchedLaunch &launch, const Options &options)
    : implementation_(std::make_unique<Implementation>(launch, options)) {}
LaunchWatch::~LaunchWatch() = default;

std::vector<Monitor *> LaunchWatch::monitors() const {
  std::vector<Monitor *> monitors;
  for (const auto &monitor : implementation_->monitors)
    monitors.push_back(monitor.get());
  return monitors;
}

std::vector<Fault> LaunchWatch::faults() const {
  std::vector<Fault> faults;
  if (!implementation_->checks)
    return faults;
  for (const auto &monitor : implementation_->monitors)
    mergeFaults(faults, monitor->checks()->faults());
  mergeFaults(faults, implementation_->checks->findRaces());
  return faults;
}

simt::LaunchCounters LaunchWatch::counters() const {
  std::vector<const CountMonitor::Totals *> totals;
  for (const auto &monitor : implementation_->monitors)
    if (monitor->counts())
      totals.push_back(&monitor->counts()->totals());
  return countersOf(implementation_->launch, totals);
}

} // namespace warpwright::vdevice
