// Rules about what memory does and what is waited for it.

#include "feedback/rules/FeedbackRules.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace warpwright {
namespace {

/// Stores are not waited for before a warp ends; then it waits for all of them.
constexpr llvm::StringLiteral storeWaits[] = {"long_scoreboard", "lg_throttle", "drain"};
constexpr llvm::StringLiteral sharedWaits[] = {"short_scoreboard", "mio_throttle"};
constexpr llvm::StringLiteral atomicWaits[] = {"long_scoreboard", "lg_throttle", "drain", "membar"};

/// The limit of a unit that is busy for `percent`, as a share of time.
double busyShare(double percent) {
  return percent / 100 * LaunchReading::limits(percent);
}

/// Traffic of threads' own that is neither wasted nor local memory's.
double neededTraffic(const LaunchReading &reading) {
  return (1 - reading.wastedSectors()) * (1 - reading.localSectors());
}

/// L2 is busy with what device memory moves: as full as it may be, it is the way, not the limit.
bool onlyPassesThrough(const LaunchReading &reading) {
  constexpr double nearlyAll = 0.8;
  return reading.passesThrough() >= nearlyAll && LaunchReading::limits(reading.value("dram_percent")) > 0;
}

double cachePercent(const LaunchReading &reading) {
  double l1 = reading.value("l1_data_percent") - reading.value("shared_percent");
  return std::max(reading.value("l2_percent"), std::max(l1, 0.0) * reading.active());
}

} // namespace

std::optional<RuleMatch> readBusyMemory(const LaunchReading &reading) {
  double percent = reading.value("dram_percent");
  double bytes = reading.value("dram_read_bytes") + reading.value("dram_write_bytes");
  RuleMatch match;
  match.share =
      busyShare(onlyPassesThrough(reading) ? std::max(percent, reading.value("l2_percent")) : percent) *
      neededTraffic(reading);
  match.message = llvm::formatv("device memory is busy for {0:F0} % of the time", percent);
  match.evidence = {{"device memory, percent", percent}, {"device memory, bytes", bytes}};
  match.stalls = {"long_scoreboard", "lg_throttle"};
  return match;
}

std::optional<RuleMatch> readBusyCaches(const LaunchReading &reading) {
  double percent = cachePercent(reading);
  // Traffic of device memory goes through L2, too: where that is as full, it is the limit.
  if (onlyPassesThrough(reading))
    return std::nullopt;
  if (LaunchReading::limits(reading.value("dram_percent")) > 0 &&
      LaunchReading::limits(reading.value("dram_percent")) >= LaunchReading::limits(percent))
    return std::nullopt;
  RuleMatch match;
  match.share = busyShare(percent) * neededTraffic(reading) * (1 - reading.globalAtomics());
  match.message = llvm::formatv("the caches are busy for {0:F0} % of the time (L2 {1:F0} %, L1 {2:F0} %)",
                                percent, reading.value("l2_percent"), reading.value("l1_data_percent"));
  match.evidence = {{"L2, percent", reading.value("l2_percent")},
                    {"L1 data, percent", reading.value("l1_data_percent")},
                    {"device memory, percent", reading.value("dram_percent")}};
  match.stalls = {"long_scoreboard", "lg_throttle"};
  return match;
}

std::optional<RuleMatch> readMemoryLatency(const LaunchReading &reading) {
  double waiting = reading.waiting(longWaits);
  RuleMatch match;
  match.share =
      waiting * (1 - reading.memoryLimits()) * neededTraffic(reading) * (1 - reading.globalAtomics());
  match.message = llvm::formatv("for {0:F0} % of the time all warps wait, for loads first of all, while "
                                "device memory is busy for {1:F0} %",
                                waiting * 100, reading.value("dram_percent"));
  match.evidence = {{"waiting for loads, percent", waiting * 100},
                    {"device memory, percent", reading.value("dram_percent")},
                    {"warps a scheduler", reading.value("warps_per_cycle")}};
  match.stalls = {"long_scoreboard"};
  return match;
}

std::optional<RuleMatch> readWastedSectors(const LaunchReading &reading) {
  if (reading.wastedSectors() <= 0)
    return std::nullopt;
  auto perRequest = [&](const char *sectors, const char *requests) {
    double count = reading.value(requests);
    return count > 0 ? reading.value(sectors) / count : 0;
  };
  double loads = perRequest("global_load_sectors", "global_load_requests");
  double stores = perRequest("global_store_sectors", "global_store_requests");
  double busy = std::max(busyShare(reading.value("dram_percent")), busyShare(cachePercent(reading)));
  RuleMatch match;
  match.share =
      reading.wastedSectors() * std::max(busy, reading.waiting(storeWaits)) * (1 - reading.localSectors());
  match.message =
      llvm::formatv("a warp's request moves {0:F1} sectors when it loads and {1:F1} when it stores, where "
                    "neighbouring elements of 4 bytes need 4",
                    loads, stores);
  match.evidence = {{"sectors a load request", loads}, {"sectors a store request", stores}};
  match.stalls = {"lg_throttle", "long_scoreboard", "drain"};
  return match;
}

std::optional<RuleMatch> readLocalTraffic(const LaunchReading &reading) {
  if (reading.localSectors() <= 0)
    return std::nullopt;
  double busy = std::max({busyShare(reading.value("dram_percent")), busyShare(cachePercent(reading)),
                          reading.waiting(storeWaits)});
  RuleMatch match;
  match.share = reading.localSectors() * busy;
  match.message = llvm::formatv("{0:F0} % of the sectors that threads move are those of local memory",
                                reading.localSectors() * 100);
  match.evidence = {{"local load sectors", reading.value("local_load_sectors")},
                    {"local store sectors", reading.value("local_store_sectors")},
                    {"local bytes a thread", double(reading.launch().localBytes)}};
  match.stalls = {"lg_throttle", "long_scoreboard", "drain"};
  return match;
}

std::optional<RuleMatch> readSharedMemory(const LaunchReading &reading) {
  double accesses = reading.value("shared_loads") + reading.value("shared_stores");
  if (accesses <= 0)
    return std::nullopt;
  double wavefronts = reading.value("shared_load_wavefronts") + reading.value("shared_store_wavefronts");
  double conflicts = reading.value("shared_conflicts");
  double busy = busyShare(reading.value("shared_percent") * reading.active());
  RuleMatch match;
  match.share = std::max(busy, reading.waiting(sharedWaits)) * (1 - reading.sharedAtomics());
  match.message =
      llvm::formatv("shared memory is busy for {0:F0} % of the time, with {1:F1} wavefronts an instruction "
                    "({2:F0} % of them for conflicts)",
                    reading.value("shared_percent"), wavefronts / accesses,
                    wavefronts > 0 ? conflicts / wavefronts * 100 : 0);
  match.evidence = {{"shared memory, percent", reading.value("shared_percent")},
                    {"wavefronts an instruction", wavefronts / accesses},
                    {"bank conflicts", conflicts}};
  match.stalls = {"mio_throttle", "short_scoreboard"};
  return match;
}

std::optional<RuleMatch> readAtomicContention(const LaunchReading &reading) {
  double global = reading.value("global_atomics") + reading.value("global_reductions");
  if (global + reading.value("shared_atomics") <= 0)
    return std::nullopt;
  // The unit of one slice of L2 serves all that goes to one address.
  double unit = global > 0 ? busyShare(reading.value("atomic_unit_percent")) : 0;
  RuleMatch match;
  match.share = std::max({unit, reading.globalAtomics() * reading.waiting(atomicWaits),
                          reading.sharedAtomics() * reading.waiting(sharedWaits)});
  match.message = llvm::formatv(
      "{0:F0} % of the accesses to global memory and {1:F0} % of those to shared memory are "
      "atomic; the busiest atomic unit works for {2:F0} % of the time",
      reading.globalAtomics() * 100, reading.sharedAtomics() * 100, reading.value("atomic_unit_percent"));
  match.evidence = {{"atomic operations of warps, global", global},
                    {"atomic operations of warps, shared", reading.value("shared_atomics")},
                    {"busiest atomic unit, percent", reading.value("atomic_unit_percent")}};
  match.stalls = {"lg_throttle", "long_scoreboard", "short_scoreboard", "mio_throttle"};
  return match;
}

} // namespace warpwright
