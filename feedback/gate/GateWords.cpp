// The sentences that several outputs have in common.

#include "feedback/gate/GateOutput.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <set>

namespace warpwright {
namespace {

std::string counted(size_t count, const std::string &noun, const std::string &rest = "") {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s") + rest;
}

} // namespace

std::string describe(const GateChange &change) {
  const MetricInfo &info = metrics()[static_cast<unsigned>(change.metric)];
  std::string text = "'" + change.kernel + "' on " + change.architecture + ": " +
                     printMetric(change.metric, change.after) + " " + info.description.str();
  if (change.before)
    text += ", " + printMetric(change.metric, *change.before) + " before";
  if (change.limit)
    text += std::string("; the limit is ") + printMetric(change.metric, *change.limit);
  return text;
}

std::string describeDrift(const GateReport &report) {
  if (report.driftedFrom.empty())
    return {};
  size_t drifted = report.count(GateState::Drift) +
                   llvm::count_if(report.changes,
                                  [](const GateChange &change) { return change.state == GateState::Drift; });
  return "the baseline was written with CUDA " + llvm::join(report.driftedFrom, ", ") + " and this is CUDA " +
         llvm::join(report.toolkits, ", ") + ": " + counted(drifted, "difference") +
         " may come from the toolkit, and none of them fails; write a new baseline";
}

std::string summarise(const GateReport &report) {
  std::set<std::pair<std::string, std::string>> kernels;
  for (const GateKernel &kernel : report.kernels)
    kernels.insert({kernel.file, kernel.name});
  std::string text = counted(kernels.size(), "kernel") + " of " + counted(report.files, "file") +
                     " checked " +
                     (report.hasBaseline ? "against '" + report.baselineFile + "'" : "without a baseline") +
                     ": " + counted(report.count(GateState::New), "new finding");
  size_t worse = llvm::count_if(report.changes, [](const GateChange &change) { return change.fails; });
  if (worse != 0)
    text += ", " + counted(worse, "number", " worse than allowed");
  if (size_t known = report.count(GateState::Known))
    text += ", " + std::to_string(known) + " known";
  if (size_t accepted = report.count(GateState::Accepted))
    text += ", " + std::to_string(accepted) + " accepted";
  if (!report.problems.empty())
    text += ", " + counted(report.problems.size(), "thing", " not checked");
  return text;
}

} // namespace warpwright
