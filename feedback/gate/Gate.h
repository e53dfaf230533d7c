#pragma once

#include "feedback/gate/Baseline.h"
#include "feedback/gate/Checked.h"
#include "feedback/gate/GatePolicy.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// How a thing stands to the baseline.
enum class GateState {
  New,      ///< not in the baseline
  Known,    ///< in it
  Accepted, ///< let pass by a named exception
  Drift     ///< differs from the baseline of another toolkit, which says nothing of the code
};
/// "new", "known", "accepted" or "drift".
const char *toString(GateState state);

/// A finding at one place; architectures and instantiations that have it in common are one.
struct GateFinding {
  GateState state = GateState::New;
  Severity severity = Severity::Warning;
  bool fails = false;
  CheckedFinding checked;
  std::string file;        ///< of the place, from the root
  std::string fingerprint; ///< for the world outside: globalFingerprint()
  std::vector<std::string> kernels;
  std::vector<std::string> architectures;
  std::string acceptedBecause;
  bool acceptedInSource = false; ///< by a comment, not by the policy
};

/// A number of a kernel that changed, or that is over its limit.
struct GateChange {
  Metric metric = Metric::Registers;
  GateState state = GateState::New; ///< Known: within what is allowed, or over the limit before already
  bool fails = false;
  std::string kernel;
  std::string architecture;
  Place place;
  std::string file; ///< of the place, from the root
  std::optional<double> before;
  double after = 0;
  std::optional<double> limit; ///< where it is what fails
  std::string acceptedBecause;
  bool acceptedInSource = false;
};

/// One kernel on one architecture, for tables.
struct GateKernel {
  enum class Origin { New, Same, Renamed, Moved };
  Origin origin = Origin::New;
  std::string formerly; ///< file and key of one that was renamed or moved
  std::string file;
  std::string name;
  std::string architecture;
  Place place;
  bool drift = false;         ///< compared with a baseline of another toolkit
  bool launchChanged = false; ///< numbers of the launch cannot be compared
  std::optional<MetricValues> before;
  MetricValues after;
  unsigned newFindings = 0;
  unsigned knownFindings = 0;
};

/// An exception that did nothing, or is over.
struct GateUnused {
  Place place; ///< of a comment; of one in the policy, the policy. Files from the root
  std::string message;
};

/// What a check came to.
struct GateReport {
  std::vector<std::string> toolkits; ///< "13.0.88"; more than one where commands name several compilers
  bool hasBaseline = false;
  std::string baselineFile;             ///< from the root
  std::vector<std::string> driftedFrom; ///< toolkits of the baseline that stand in for this one
  std::vector<GateKernel> kernels;
  std::vector<GateFinding> findings;                     ///< by place
  std::vector<GateChange> changes;                       ///< by place
  std::vector<std::pair<std::string, std::string>> gone; ///< file and key of kernels that are no more
  std::vector<CheckProblem> problems;                    ///< files from the root
  std::vector<GateUnused> unused;
  size_t files = 0;

  size_t count(GateState state) const;
  /// Something is new that the policy does not let pass.
  bool fails() const;
};

struct GateRequest {
  std::vector<CheckedFile> files;
  std::optional<Baseline> baseline;
  std::string baselineFile;
  const GatePolicy *policy = nullptr;
  std::string policyFile;
  std::string today; ///< "2026-11-29"
  bool whole = true; ///< every file of the project was checked, so that what was not seen is no more
  std::function<std::string(llvm::StringRef)> relative; ///< a path from the root
  std::function<bool(llvm::StringRef)> exists;          ///< of a path from the root
};

/// Holds what was checked against baseline and policy. A pure function of the request.
GateReport judge(const GateRequest &request);

} // namespace warpwright
