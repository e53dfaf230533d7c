#pragma once

#include "analysis/Finding.h"
#include "feedback/gate/Metrics.h"
#include "rewriters/Candidate.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace warpwright {

/// A change that would answer a finding.
struct SuggestedFix {
  std::string description;
  std::vector<Edit> edits;
};

struct CheckedFinding {
  Finding finding; ///< its places are absolute
  /// Of the finding within its kernel, from nothing that moves with lines: see fingerprintFindings().
  std::string fingerprint;
  std::vector<SuggestedFix> fixes;
};

/// One kernel on one architecture, as the gate looks at it; or a function of the host, which has findings and
/// no numbers.
struct CheckedKernel {
  static constexpr const char *host = "host"; ///< the architecture of the latter
  std::string key;                            ///< as Kernel::key
  std::string name;                           ///< as Kernel::name
  Place place;                                ///< of its name; absolute
  unsigned beginLine = 0;                     ///< of the declaration, annotation included
  std::string body; ///< a hash of the tokens of its body, equal for a kernel that was renamed or moved
  std::string architecture;
  std::string toolkit; ///< that made the numbers: "13.0.88"
  std::string launch;  ///< the main launch, as reports name it; empty where none was counted
  MetricValues metrics;
  std::string resourcesNote; ///< why numbers of ptxas are missing
  std::vector<CheckedFinding> findings;

  bool isHost() const { return architecture == host; }
};

/// `// warpwright: accept(bank-conflict) reason`, as a file has it.
struct AcceptComment {
  Place place;       ///< absolute
  unsigned line = 0; ///< of the code that it speaks of: its own, or the first one below
  std::vector<std::string> rules;
  std::string reason;
  std::string expires; ///< a date, as "2027-01-31"; empty: never
  bool operator==(const AcceptComment &) const = default;
};

/// Why something could not be checked, or was written wrongly.
struct CheckProblem {
  enum class Kind {
    NotChecked, ///< the file, or a part of it, was not looked at
    BadInput,   ///< something that was given is wrong
    ToolFault
  };
  Kind kind = Kind::NotChecked;
  Place place; ///< at least a file
  std::string message;
  bool operator==(const CheckProblem &) const = default;
};

/// What became of one file, over all its commands and architectures.
struct CheckedFile {
  std::string file; ///< absolute
  std::vector<CheckedKernel> kernels;
  std::vector<AcceptComment> accepts;
  std::vector<CheckProblem> problems;
  std::string diagnostics;               ///< what the compiler said of annotations, for people
  std::vector<std::string> dependencies; ///< files that it was made from, the toolkit's own left out
};

/// To hand a file's result from one process to another, and to keep it. Nothing of it is lost.
nlohmann::ordered_json toJson(const CheckedFile &file);
/// The same back; nothing where the document is not whole.
std::optional<CheckedFile> checkedFileFromJson(const nlohmann::ordered_json &document);

} // namespace warpwright
