// Rules about what warps execute, how many there are, and when multiprocessors have none.

#include "analysis/arch/Occupancy.h"
#include "feedback/rules/FeedbackRules.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace warpwright {
namespace {

constexpr llvm::StringLiteral fixedWaits[] = {"wait", "dispatch_stall"};
constexpr llvm::StringLiteral branchWaits[] = {"branch_resolving"};
constexpr llvm::StringLiteral barrierWaits[] = {"barrier"};
constexpr llvm::StringLiteral fetchWaits[] = {"no_instruction"};

/// Below it warps are few: latency of arithmetic is hidden by four warps a scheduler, a quarter of what is
/// resident at most, that of memory by more.
constexpr double fewWarps = 0.3;

/// What may be resident at most by the kernel's resources; 1 where the architecture is not known.
Occupancy resourceLimit(const LaunchReading &reading) {
  const LaunchProfile &launch = reading.launch();
  if (const Architecture *architecture = findArchitecture(reading.architecture()))
    return computeOccupancy(*architecture, launch.threadsPerBlock(), launch.registers, launch.sharedBytes);
  Occupancy unknown;
  unknown.occupancy = 1;
  return unknown;
}

} // namespace

std::optional<RuleMatch> readBusyUnits(const LaunchReading &reading) {
  std::pair<const char *, double> busiest = {"issue", reading.value("issue_percent")};
  for (const char *unit : {"alu", "fma", "fp64", "special", "tensor"})
    if (double percent = reading.value(std::string(unit) + "_percent"); percent > busiest.second)
      busiest = {unit, percent};
  double percent = busiest.second * reading.active();
  RuleMatch match;
  // What idle lanes take of it is no work.
  match.share = percent / 100 * LaunchReading::limits(percent) * reading.lanes();
  match.message =
      llvm::formatv("the busiest part of the multiprocessors, {0}, is busy for {1:F0} % of the time",
                    busiest.first, percent);
  match.evidence = {{"issue slots, percent", reading.value("issue_percent")},
                    {"busiest unit, percent", busiest.second}};
  match.stalls = {"math_pipe_throttle", "not_selected", "selected"};
  return match;
}

std::optional<RuleMatch> readIdleLanes(const LaunchReading &reading) {
  double idle = 1 - reading.lanes();
  double busiest = reading.value("issue_percent");
  for (const char *unit : {"alu", "fma", "fp64", "special"})
    busiest = std::max(busiest, reading.value(std::string(unit) + "_percent"));
  RuleMatch match;
  match.share = idle * (reading.active() * std::min(busiest / 100, 1.0) + reading.waiting(branchWaits));
  match.message =
      llvm::formatv("{0:F1} of 32 lanes work in the mean of all instructions", reading.lanes() * 32);
  match.evidence = {{"lanes that work", reading.lanes() * 32},
                    {"branches of warps", reading.value("branches")}};
  match.stalls = {"branch_resolving", "wait", "selected"};
  return match;
}

std::optional<RuleMatch> readBarrierWaits(const LaunchReading &reading) {
  RuleMatch match;
  match.share = reading.waiting(barrierWaits);
  match.message = llvm::formatv("for {0:F0} % of the time no warp can go on, and most wait at barriers",
                                match.share * 100);
  match.evidence = {{"warp cycles at barriers, percent", reading.launch().stallShare("barrier") * 100}};
  match.stalls = {"barrier"};
  return match;
}

std::optional<RuleMatch> readCodeSize(const LaunchReading &reading) {
  RuleMatch match;
  match.share = reading.waiting(fetchWaits);
  match.message = llvm::formatv(
      "for {0:F0} % of the time warps wait for their next instruction to be fetched", match.share * 100);
  match.evidence = {
      {"warp cycles without an instruction, percent", reading.launch().stallShare("no_instruction") * 100}};
  match.stalls = {"no_instruction"};
  return match;
}

std::optional<RuleMatch> readDependence(const LaunchReading &reading) {
  double waiting = reading.waiting(fixedWaits) + reading.lanes() * reading.waiting(branchWaits);
  // With room for more warps, it is what keeps them out that counts.
  bool limited = resourceLimit(reading).occupancy < fewWarps;
  RuleMatch match;
  match.share = waiting * (limited ? 0.5 : 1);
  match.message =
      llvm::formatv("for {0:F0} % of the time warps wait for results of arithmetic, with {1:F1} warps a "
                    "scheduler to fill the wait",
                    waiting * 100, reading.value("warps_per_cycle"));
  match.evidence = {{"waiting for arithmetic, percent", waiting * 100},
                    {"warps a scheduler", reading.value("warps_per_cycle")}};
  match.stalls = {"wait"};
  return match;
}

std::optional<RuleMatch> readFewWarps(const LaunchReading &reading) {
  double achieved = reading.value("occupancy_percent") / 100;
  if (achieved >= fewWarps || !reading.launch().counter("occupancy_percent"))
    return std::nullopt;
  Occupancy limit = resourceLimit(reading);
  bool byResources = limit.occupancy < fewWarps;
  double idle = reading.active() - reading.issuing();
  RuleMatch match;
  // Where memory is waited for, bytes under way count more than warps; where the launch is small, more warps
  // are no matter of resources.
  match.share = std::max(0.0, idle - reading.waiting(longWaits)) * (byResources ? 1 : 0.5) +
                reading.waiting(longWaits) * (1 - reading.memoryLimits()) * 0.5;
  std::string by = "the launch has no more";
  if (byResources) {
    by.clear();
    for (OccupancyLimit limiter : limit.limiters)
      by += (by.empty() ? "" : " and ") + std::string(toString(limiter));
    by += " let no more in";
  }
  match.message = llvm::formatv("{0:F0} % of the warps that could be resident are: {1}", achieved * 100, by);
  match.evidence = {{"occupancy, percent", achieved * 100},
                    {"occupancy that resources allow, percent", limit.occupancy * 100},
                    {"registers a thread", double(reading.launch().registers)},
                    {"shared bytes a block", double(reading.launch().sharedBytes)}};
  return match;
}

std::optional<RuleMatch> readIdleMultiprocessors(const LaunchReading &reading) {
  RuleMatch match;
  match.share = 1 - reading.active();
  match.message =
      llvm::formatv("multiprocessors have no work for {0:F0} % of the time: {1} blocks, the busiest "
                    "multiprocessor works {2:F1} times as long as the mean",
                    match.share * 100, reading.launch().blocks(),
                    reading.value("active_cycles_mean") > 0
                        ? reading.value("active_cycles_max") / reading.value("active_cycles_mean")
                        : 0);
  match.evidence = {{"multiprocessors without work, percent", match.share * 100},
                    {"blocks", double(reading.launch().blocks())}};
  return match;
}

std::optional<RuleMatch> readShortLaunch(const LaunchReading &reading) {
  double microseconds = reading.value("duration_ns") / 1000;
  // Kernels that do nothing take between two and five microseconds from one to the next; below ten, that is
  // much.
  constexpr double emptyLaunch = 4, shortest = 10;
  if (microseconds <= 0 || microseconds >= shortest)
    return std::nullopt;
  RuleMatch match;
  match.share = std::min(1.0, emptyLaunch / microseconds);
  match.message = llvm::formatv("the kernel takes {0:F1} us, and a launch that does nothing about {1:F0}",
                                microseconds, emptyLaunch);
  match.evidence = {{"microseconds", microseconds}};
  return match;
}

} // namespace warpwright
