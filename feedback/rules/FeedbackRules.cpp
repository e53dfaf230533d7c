#include "feedback/rules/FeedbackRules.h"

#include <algorithm>

namespace warpwright {

#define WARPWRIGHT_FEEDBACK_RULE(id, function, ...)                                                          \
  std::optional<RuleMatch> function(const LaunchReading &reading);
#include "feedback/rules/FeedbackRules.def"

namespace {

constexpr FeedbackRule table[] = {
#define WARPWRIGHT_FEEDBACK_RULE(id, function, bottleneck, findings, structure, parameters)                  \
  {id, function, Bottleneck::bottleneck, findings, structure, parameters},
#include "feedback/rules/FeedbackRules.def"
};

/// `part` of `whole`, 0 where there is nothing.
double portion(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

} // namespace

llvm::ArrayRef<FeedbackRule> feedbackRules() {
  return table;
}

LaunchReading::LaunchReading(const LaunchProfile &launch, llvm::StringRef architecture)
    : launch_(launch), architecture_(architecture) {
  if (launch.counter("elapsed_cycles"))
    active_ = portion(value("active_cycles_mean"), value("elapsed_cycles"));
  issuing_ = active_ * std::min(value("issue_percent") / 100, 1.0);
  for (const auto &[reason, cycles] : launch.stalls)
    if (reason != "selected" && reason != "not_selected")
      stalled_ += cycles;
  constexpr double warp = 32;
  // Lanes that a predicate turns off are not counted as idle: most often it turns off all of them.
  if (launch.counter("thread_instructions"))
    lanes_ = portion(value("thread_instructions"), warp * value("instructions"));
  readMemory();
}

void LaunchReading::readMemory() {
  double l1 = value("l1_data_percent") * active_;
  memoryLimits_ = std::max({limits(value("dram_percent")), limits(value("l2_percent")), limits(l1)});
  double loads = value("global_load_requests"), stores = value("global_store_requests");
  double sectors = value("global_load_sectors") + value("global_store_sectors");
  // A warp that moves 16 bytes a lane needs 16 sectors at most: what is more is certainly apart. How much of
  // it is needed is not counted; elements of 4 bytes, the most frequent, need 4.
  constexpr double widestRequest = 16, usualRequest = 4;
  auto wastedBy = [&](double requests, double moved) {
    return requests > 0 && moved / requests > widestRequest ? moved - usualRequest * requests : 0;
  };
  wasted_ =
      portion(wastedBy(loads, value("global_load_sectors")) + wastedBy(stores, value("global_store_sectors")),
              sectors);
  constexpr double sectorBytes = 32;
  passesThrough_ = portion(value("dram_read_bytes") + value("dram_write_bytes"),
                           (sectors - value("global_load_hits")) * sectorBytes);
  double local = value("local_load_sectors") + value("local_store_sectors");
  local_ = portion(local, local + sectors);
  double atomics = value("global_atomics") + value("global_reductions");
  globalAtomics_ = portion(atomics, atomics + loads + stores);
  double shared = value("shared_loads") + value("shared_stores");
  sharedAtomics_ = portion(value("shared_atomics"), value("shared_atomics") + shared);
}

double LaunchReading::value(llvm::StringRef id) const {
  return launch_.counter(id).value_or(0);
}

double LaunchReading::waiting(llvm::ArrayRef<llvm::StringLiteral> reasons) const {
  double cycles = 0;
  for (llvm::StringRef reason : reasons)
    if (auto found = launch_.stalls.find(reason.str()); found != launch_.stalls.end())
      cycles += found->second;
  return (active_ - issuing_) * portion(cycles, stalled_);
}

double LaunchReading::limits(double percent) {
  constexpr double latencyBelow = 60, throughputFrom = 80;
  return std::clamp((percent - latencyBelow) / (throughputFrom - latencyBelow), 0.0, 1.0);
}

} // namespace warpwright
