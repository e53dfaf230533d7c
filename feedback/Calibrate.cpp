#include "feedback/Calibrate.h"

#include "analysis/KernelAnalysis.h"
#include "feedback/RankComparisons.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <set>

namespace warpwright {
namespace {

using simt::AccessKind;
using simt::AccessSpace;

/// A kind of access with the counters that speak of it.
struct CountedAccess {
  const char *name;
  AccessKind kind;
  AccessSpace space;
  const char *unitCounter;    ///< sectors or wavefronts
  const char *requestCounter; ///< warp instructions
};

constexpr CountedAccess countedAccesses[] = {
    {"global load", AccessKind::Load, AccessSpace::Global, "global_load_sectors", "global_load_requests"},
    {"global store", AccessKind::Store, AccessSpace::Global, "global_store_sectors", "global_store_requests"},
    {"shared load", AccessKind::Load, AccessSpace::Shared, "shared_load_wavefronts", "shared_loads"},
    {"shared store", AccessKind::Store, AccessSpace::Shared, "shared_store_wavefronts", "shared_stores"},
};

/// Occupancy is an average over a launch that also begins and ends.
constexpr double occupancyWithin = 0.1;

bool isGlobal(const CountedAccess &access) {
  return access.space == AccessSpace::Global;
}

const LaunchEvaluation *launchOf(const KernelAnalysis &analysis, const std::string &shape) {
  for (const LaunchEvaluation &launch : analysis.launches)
    if (isSameShape(launch.label, shape))
      return &launch;
  return nullptr;
}

/// "17, 18", each line once.
std::string linesOf(const simt::LaunchCounters &counters, const CountedAccess &access) {
  std::set<unsigned> lines;
  for (const simt::AccessCounters &known : counters.accesses)
    if (known.kind == access.kind && known.space == access.space && known.place.known())
      lines.insert(known.place.line);
  std::string text;
  for (unsigned line : lines)
    text += (text.empty() ? "" : ", ") + std::to_string(line);
  return text;
}

class KernelCalibrator {
public:
  KernelCalibrator(const KernelRecord &record, const KernelAnalysis &analysis, const DeviceFigures &figures)
      : record_(record), analysis_(analysis), figures_(figures) {}

  KernelCalibration calibrate() {
    result_.kernel = record_.key;
    result_.architecture = analysis_.architecture;
    for (const ReadProfileRecord &taken : record_.profiles) {
      if (!taken.profile.counters.collected || taken.profile.launches.size() != 1)
        continue;
      result_.device = taken.profile.device;
      const LaunchProfile &launch = taken.profile.launches.front();
      if (taken.profile.code == "original")
        compareOriginal(taken, launch);
      else
        compareCandidate(taken.profile, launch);
    }
    for (const Measurement &measurement : record_.measurements) {
      result_.device = measurement.environment.device;
      result_.toolkit = measurement.environment.toolkit;
    }
    result_.ranks = compareRanks(record_, analysis_.architecture, figures_);
    return std::move(result_);
  }

private:
  void compareOriginal(const ReadProfileRecord &taken, const LaunchProfile &launch) {
    const LaunchEvaluation *known = launchOf(analysis_, taken.profile.shape);
    if (!known)
      return;
    for (const CountedAccess &access : countedAccesses)
      compareAccesses(taken.profile.shape, known->counters, access, launch);
    compareOccupancy(taken.profile.shape, launch);
    for (const Finding &finding : record_.findings)
      judge(finding, taken, *known, launch);
    for (const Diagnosis &diagnosis : taken.reading.diagnoses)
      if (!diagnosis.differs.empty())
        result_.rules.push_back(
            {diagnosis.rule, taken.profile.shape, false, llvm::join(diagnosis.differs, "; ")});
      else if (!diagnosis.agrees.empty())
        result_.rules.push_back({diagnosis.rule, taken.profile.shape, true,
                                 "found in the source, too: " + llvm::join(diagnosis.agrees, ", ")});
  }

  void compareAccesses(const std::string &shape, const simt::LaunchCounters &counters,
                       const CountedAccess &access, const LaunchProfile &launch) {
    simt::AccessTally tally = counters.total(access.kind, access.space);
    std::optional<double> units = launch.counter(access.unitCounter);
    std::optional<double> requests = launch.counter(access.requestCounter);
    uint64_t predicted = isGlobal(access) ? tally.sectors : tally.wavefronts;
    if (!units || (predicted == 0 && *units == 0))
      return;
    CountComparison comparison;
    comparison.code = "original";
    comparison.shape = shape;
    comparison.quantity = std::string(access.name) + (isGlobal(access) ? " sectors" : " wavefronts");
    comparison.accesses = linesOf(counters, access);
    comparison.predicted = double(predicted);
    comparison.measured = *units;
    comparison.grade = simt::toString(counters.grade);
    if (!comparison.isEqual())
      comparison.explanation =
          explain(counters, comparison, double(isGlobal(access) ? tally.requests : tally.instructions),
                  requests, access);
    result_.counts.push_back(std::move(comparison));
  }

  /// Empty where nothing that is known explains a difference.
  static std::string explain(const simt::LaunchCounters &counters, const CountComparison &comparison,
                             double predictedRequests, std::optional<double> requests,
                             const CountedAccess &access) {
    std::string supposed;
    if (counters.grade != simt::CountGrade::Exact)
      supposed =
          std::string("the analysis is ") + simt::toString(counters.grade) + " (" + counters.reason + ")";
    else if (!counters.unknown.empty())
      supposed = "not all accesses are understood: " + counters.unknown.front().reason;
    if (!requests)
      return supposed;
    CountComparison asRequests;
    asRequests.predicted = predictedRequests;
    asRequests.measured = *requests;
    if (!asRequests.isEqual())
      return llvm::formatv(
          "nvcc made {0:F0} instructions of the {1:F0} {2}s that the source has: some are {3}{4}", *requests,
          predictedRequests, access.name,
          *requests < predictedRequests ? "joined, kept in registers or left out" : "split or repeated",
          supposed.empty() ? "" : "; or " + supposed);
    if (!isGlobal(access) && isContended(comparison))
      return "as many instructions; the counter has passes, too, that are repeated while others have the "
             "data stage";
    return supposed;
  }

  /// The counters of the shared-memory pipe count a pass again when the data stage was not free. That is a
  /// few percent under load and nothing without; counters of instructions do not have it.
  static bool isContended(const CountComparison &comparison) {
    constexpr double mostRepeated = 0.1;
    return comparison.measured > comparison.predicted &&
           comparison.measured <= comparison.predicted * (1 + mostRepeated);
  }

  void compareOccupancy(const std::string &shape, const LaunchProfile &launch) {
    std::optional<double> achieved = launch.counter("occupancy_percent");
    if (!achieved || !analysis_.occupancy)
      return;
    CountComparison comparison;
    comparison.code = "original";
    comparison.shape = shape;
    comparison.quantity = "occupancy in percent";
    comparison.predicted = analysis_.occupancy->occupancy * 100;
    comparison.measured = *achieved;
    comparison.grade = "exact";
    if (!comparison.isEqual())
      comparison.explanation = occupancyReason(comparison, launch);
    result_.counts.push_back(std::move(comparison));
  }

  std::string occupancyReason(const CountComparison &comparison, const LaunchProfile &launch) const {
    if (comparison.measured > comparison.predicted * 1.02)
      return {};
    const double resident = double(analysis_.occupancy->residentBlocks) * figures_.multiprocessors;
    if (double(launch.blocks()) < resident)
      return llvm::formatv("{0} blocks do not fill the device's {1:F0} places", launch.blocks(), resident);
    if (comparison.measured >= comparison.predicted * (1 - occupancyWithin))
      return "the mean over a launch that also begins and ends";
    return "blocks end at different times, so that places stay empty: see the tail effect";
  }

  void add(const Finding &finding, const std::string &shape, bool agreed, std::string why) {
    result_.rules.push_back(
        {finding.id, shape, agreed, "line " + std::to_string(finding.place.line) + ": " + std::move(why)});
  }

  /// Findings whose matter the device counts.
  void judge(const Finding &finding, const ReadProfileRecord &taken, const LaunchEvaluation &known,
             const LaunchProfile &launch) {
    const std::string &shape = taken.profile.shape;
    auto counted = [&](const char *id) { return launch.counter(id).value_or(0); };
    if (finding.id == "bank-conflict" && launch.counter("shared_conflicts"))
      add(finding, shape, counted("shared_conflicts") > 0,
          llvm::formatv("{0:F0} conflicts counted", counted("shared_conflicts")));
    if (finding.id == "register-spill" && launch.counter("local_load_sectors")) {
      double sectors = counted("local_load_sectors") + counted("local_store_sectors");
      add(finding, shape, sectors > 0, llvm::formatv("{0:F0} sectors of local memory counted", sectors));
    }
    if ((finding.id == "uncoalesced-access" || finding.id == "misaligned-access") &&
        launch.counter("global_load_sectors")) {
      uint64_t ideal = known.counters.total(AccessKind::Load, AccessSpace::Global).idealSectors +
                       known.counters.total(AccessKind::Store, AccessSpace::Global).idealSectors;
      double sectors = counted("global_load_sectors") + counted("global_store_sectors");
      add(finding, shape, sectors > double(ideal) * 1.005,
          llvm::formatv("{0:F0} sectors counted, {1} would do", sectors, ideal));
    }
    if (finding.id == "serialised-atomics" && launch.counter("global_reductions")) {
      double atomics = counted("global_reductions") + counted("global_atomics") + counted("shared_atomics");
      add(finding, shape, atomics > 0, llvm::formatv("{0:F0} atomic instructions counted", atomics));
    }
    if (finding.id == "occupancy-limited" && launch.counter("occupancy_percent") && analysis_.occupancy) {
      double most = analysis_.occupancy->occupancy * 100;
      add(finding, shape, counted("occupancy_percent") <= most * 1.02,
          llvm::formatv("{0:F0} % achieved, {1:F0} % at most", counted("occupancy_percent"), most));
    }
  }

  /// Of a candidate only sums are kept; atomics are among its sectors and in no counter of these.
  void compareCandidate(const Profile &profile, const LaunchProfile &launch) {
    const CandidateRecord *candidate = findCandidate(record_, profile.code);
    const Prediction *prediction = candidate ? predictionFor(*candidate, analysis_.architecture) : nullptr;
    if (!prediction || launch.counter("global_reductions").value_or(1) +
                               launch.counter("global_atomics").value_or(1) +
                               launch.counter("shared_atomics").value_or(1) >
                           0)
      return;
    auto shape = llvm::find_if(prediction->shapes,
                               [&](const ShapePrediction &known) { return isSameShape(known.shape, profile.shape); });
    if (shape == prediction->shapes.end())
      return;
    compareSum(profile, *shape, "global sectors", shape->globalSectors, shape->globalRequests,
               {"global_load_sectors", "global_store_sectors"},
               {"global_load_requests", "global_store_requests"}, launch);
    compareSum(profile, *shape, "shared wavefronts", shape->sharedWavefronts, shape->sharedRequests,
               {"shared_load_wavefronts", "shared_store_wavefronts"}, {"shared_loads", "shared_stores"},
               launch);
  }

  void compareSum(const Profile &profile, const ShapePrediction &shape, const char *quantity,
                  uint64_t predicted, uint64_t predictedRequests, std::pair<const char *, const char *> units,
                  std::pair<const char *, const char *> requests, const LaunchProfile &launch) {
    auto sum = [&](std::pair<const char *, const char *> ids) {
      return launch.counter(ids.first).value_or(0) + launch.counter(ids.second).value_or(0);
    };
    if (predicted == 0 && sum(units) == 0)
      return;
    CountComparison comparison;
    comparison.code = profile.code;
    comparison.shape = profile.shape;
    comparison.quantity = quantity;
    comparison.predicted = double(predicted);
    comparison.measured = sum(units);
    comparison.grade = shape.grade;
    CountComparison asRequests;
    asRequests.predicted = double(predictedRequests);
    asRequests.measured = sum(requests);
    if (!comparison.isEqual() && shape.grade != "exact")
      comparison.explanation = "the analysis is " + shape.grade;
    else if (!comparison.isEqual() && !asRequests.isEqual())
      comparison.explanation = llvm::formatv("nvcc made {0:F0} instructions of the {1} that the source has",
                                             asRequests.measured, predictedRequests);
    else if (!comparison.isEqual() && units.first[0] == 's' && isContended(comparison))
      comparison.explanation = "as many instructions; passes are repeated while others have the data stage";
    result_.counts.push_back(std::move(comparison));
  }

  const KernelRecord &record_;
  const KernelAnalysis &analysis_;
  const DeviceFigures &figures_;
  KernelCalibration result_;
};

} // namespace

KernelCalibration calibrate(const KernelRecord &record, const KernelAnalysis &analysis,
                            const DeviceFigures &figures) {
  return KernelCalibrator(record, analysis, figures).calibrate();
}

} // namespace warpwright
