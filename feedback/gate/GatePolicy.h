#pragma once

#include "feedback/gate/Metrics.h"

#include <llvm/ADT/StringRef.h>
#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// How much a finding weighs. The order is that of weight.
enum class Severity { Off, Note, Warning, Error };
/// "off", "note", "warning" or "error".
const char *toString(Severity severity);

/// Limits of the kernels that a pattern names.
struct KernelLimits {
  std::string kernels = "*"; ///< a glob over printed names, as "reduce_*" or "blas::gemm<*>"
  std::string files = "*";   ///< a glob over paths from the policy's folder
  MetricValues limits;
};

/// A finding or a limit that is let pass, and why.
struct PolicyException {
  std::string rule; ///< an id of Analyses.def, or limit-<metric>
  std::string kernels = "*";
  std::string files = "*";
  std::string reason;  ///< never empty
  std::string expires; ///< the last day on which it holds; empty: for ever
};

/// The part of a policy that `warpwright check` obeys.
struct GatePolicy {
  std::vector<KernelLimits> limits; ///< where several name a kernel, the last that speaks of a metric holds
  MetricValues allowedChange;       ///< to the worse of the baseline, in the metric's unit
  std::map<std::string, Severity> severities; ///< by rule
  Severity defaultSeverity = Severity::Warning;
  Severity failOn = Severity::Warning; ///< new findings that weigh as much or more fail the check
  double minConfidence = 0.5; ///< findings of less are notes, where no severity is given for the rule
  std::vector<PolicyException> exceptions;

  Severity severityOf(llvm::StringRef rule, double confidence) const;
  /// The limits that hold for a kernel.
  MetricValues limitsOf(llvm::StringRef kernel, llvm::StringRef file) const;
};

/// Reads one entry of a policy into its gate's part. The first answer is whether the entry is the gate's at
/// all; the second what is wrong with it, or nothing.
std::pair<bool, std::string> readGateEntry(llvm::StringRef key, const nlohmann::ordered_json &value,
                                           GatePolicy &policy);

/// Whether a glob with `*` and `?` matches the whole text. Brackets mean themselves: they stand in names.
bool matchesGlob(llvm::StringRef pattern, llvm::StringRef text);

} // namespace warpwright
