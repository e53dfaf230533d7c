#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <nlohmann/json_fwd.hpp>

#include <array>
#include <limits>
#include <optional>
#include <string>

namespace warpwright {

struct KernelAnalysis;

enum class Metric : unsigned {
#define WARPWRIGHT_METRIC(name, identifier, better, tolerance, launch, description) identifier,
#include "feedback/gate/Metrics.def"
};

/// A row of Metrics.def.
struct MetricInfo {
  enum Direction { Lower, Higher };
  static constexpr double Any = std::numeric_limits<double>::infinity();

  Metric metric;
  llvm::StringLiteral name;
  Direction better;
  double tolerance; ///< the change to the worse that passes by default, as a share; Any: never fails
  bool ofLaunch;    ///< depends on the launch that was counted
  llvm::StringLiteral description;

  /// Whether `after` is worse than `before`, by however little.
  bool isWorse(double before, double after) const {
    return better == Lower ? after > before : after < before;
  }
};

/// Every metric, in the order of the enumeration, which is that of the names.
llvm::ArrayRef<MetricInfo> metrics();

/// The metric of that name, or null.
const MetricInfo *findMetric(llvm::StringRef name);

/// A number for each metric; nothing where it is not known.
class MetricValues {
public:
  std::optional<double> &operator[](Metric metric) { return values_[static_cast<unsigned>(metric)]; }
  const std::optional<double> &operator[](Metric metric) const {
    return values_[static_cast<unsigned>(metric)];
  }
  bool operator==(const MetricValues &) const = default;

private:
  std::array<std::optional<double>, 9> values_;
};

/// The numbers of one kernel on one architecture, over its main launch. Those of ptxas are missing where
/// there are no resources, those of the launch where none was counted or the count cannot be trusted. What a
/// lock has measured is for who has the lock.
MetricValues measureMetrics(const KernelAnalysis &analysis);

/// An object of the numbers that are known; whole numbers are written as such, others to four digits.
nlohmann::ordered_json toJson(const MetricValues &values);
/// The values, or what is wrong with the object.
std::string readMetrics(const nlohmann::ordered_json &object, MetricValues &values);

/// A number as reports print it: "72", "1.25", and occupancy as "50%".
std::string printMetric(Metric metric, double value);

} // namespace warpwright
