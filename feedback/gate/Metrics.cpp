#include "feedback/gate/Metrics.h"

#include "analysis/KernelAnalysis.h"
#include "feedback/Prediction.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using enum MetricInfo::Direction;
constexpr double Any = MetricInfo::Any;

constexpr MetricInfo table[] = {
#define WARPWRIGHT_METRIC(name, identifier, better, tolerance, launch, description)                          \
  {Metric::identifier, name, better, tolerance, launch, description},
#include "feedback/gate/Metrics.def"
};
static_assert(std::size(table) == 9, "MetricValues has a place for each");

double rounded(double value) {
  return std::round(value * 10000) / 10000;
}

double ratio(uint64_t numerator, uint64_t denominator) {
  return rounded(double(numerator) / double(denominator));
}

void measureLaunch(const ShapePrediction &launch, MetricValues &values) {
  if (launch.grade == simt::toString(simt::CountGrade::Unknown))
    return;
  // None at all is a number, too: it is neither unknown nor a reason to fail what comes later.
  values[Metric::SectorsPerRequest] =
      launch.globalRequests == 0 ? 0 : ratio(launch.globalSectors, launch.globalRequests);
  values[Metric::ConflictDegree] =
      launch.sharedWavefronts == 0
          ? 1
          : ratio(launch.sharedWavefronts, launch.sharedWavefronts - launch.bankConflicts);
}

} // namespace

llvm::ArrayRef<MetricInfo> metrics() {
  return table;
}

const MetricInfo *findMetric(llvm::StringRef name) {
  const MetricInfo *found = llvm::find_if(table, [&](const MetricInfo &row) { return row.name == name; });
  return found == std::end(table) ? nullptr : found;
}

MetricValues measureMetrics(const KernelAnalysis &analysis) {
  Prediction prediction = predict(analysis);
  MetricValues values;
  if (!prediction.shapes.empty())
    measureLaunch(prediction.shapes.front(), values);
  if (!prediction.hasResources)
    return values;
  values[Metric::Registers] = prediction.registers;
  values[Metric::SpillBytes] = double(prediction.spillBytes);
  values[Metric::StackBytes] = double(prediction.stackBytes);
  values[Metric::SharedBytes] = double(prediction.sharedBytes);
  values[Metric::Warnings] = prediction.warnings;
  if (analysis.occupancy)
    values[Metric::Occupancy] = rounded(prediction.occupancy);
  return values;
}

Json toJson(const MetricValues &values) {
  Json object = Json::object();
  for (const MetricInfo &info : table) {
    const std::optional<double> &value = values[info.metric];
    if (!value)
      continue;
    if (*value == std::floor(*value))
      object[info.name.str()] = static_cast<int64_t>(*value);
    else
      object[info.name.str()] = *value;
  }
  return object;
}

std::string readMetrics(const Json &object, MetricValues &values) {
  if (!object.is_object())
    return "is no object of numbers";
  for (const auto &[name, value] : object.items()) {
    const MetricInfo *info = findMetric(name);
    if (!info)
      return "holds \"" + name + "\", which is not measured";
    if (!value.is_number() || value.get<double>() < 0)
      return "holds " + value.dump() + " as \"" + name + "\", which is no number from 0 on";
    values[info->metric] = value.get<double>();
  }
  return {};
}

std::string printMetric(Metric metric, double value) {
  if (metric == Metric::Occupancy)
    return llvm::formatv("{0:P0}", value).str();
  if (value == std::floor(value))
    return std::to_string(static_cast<int64_t>(value));
  std::string text = llvm::formatv("{0:F2}", value).str();
  return llvm::StringRef(text).rtrim('0').rtrim('.').str();
}

} // namespace warpwright
