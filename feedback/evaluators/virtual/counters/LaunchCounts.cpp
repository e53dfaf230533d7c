#include "feedback/evaluators/virtual/counters/CountMonitor.h"

namespace warpwright::vdevice {

/// Counters of one site: an entry for each piece and space that it was seen in.
static void addSite(simt::LaunchCounters &counters, const Site &site,
                    llvm::ArrayRef<simt::AccessTally> tallies, llvm::ArrayRef<simt::MemoryScalar> pieces) {
  size_t spaces = tallies.size() / std::max<size_t>(1, pieces.size());
  for (size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i].instructions == 0)
      continue;
    simt::AccessCounters access;
    access.instruction = site.instruction;
    access.place = site.place;
    access.kind = site.kind;
    access.space = static_cast<simt::AccessSpace>(i % spaces);
    access.bytesPerLane = pieces[i / spaces].bytes;
    access.tally = tallies[i];
    counters.accesses.push_back(std::move(access));
  }
}

simt::LaunchCounters countersOf(const WatchedLaunch &launch,
                                llvm::ArrayRef<const CountMonitor::Totals *> totals) {
  simt::LaunchCounters counters;
  for (size_t site = 0; site < launch.sites.size(); ++site) {
    std::vector<simt::AccessTally> sum;
    bool isUnknown = false;
    for (const CountMonitor::Totals *each : totals) {
      const std::vector<simt::AccessTally> &mine = each->sites[site];
      sum.resize(std::max(sum.size(), mine.size()));
      for (size_t i = 0; i < mine.size(); ++i)
        sum[i] += mine[i];
      isUnknown |= each->unknownSites[site];
    }
    if (isUnknown)
      counters.unknown.push_back({launch.sites[site].instruction, launch.sites[site].place,
                                  "a block copy whose length is not a small constant"});
    addSite(counters, launch.sites[site], sum, piecesOf(launch.sites[site]));
  }
  for (const CountMonitor::Totals *each : totals)
    if (each->overflowed) {
      counters.grade = simt::CountGrade::Estimated;
      counters.reason = "too many accesses between synchronisations to keep: lanes were counted apart";
    }
  if (!counters.unknown.empty() && counters.grade == simt::CountGrade::Exact) {
    counters.grade = simt::CountGrade::Unknown;
    counters.reason = counters.unknown.front().reason;
  }
  return counters;
}

} // namespace warpwright::vdevice
