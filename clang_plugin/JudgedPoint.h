#pragma once

#include "feedback/Prediction.h"
#include "feedback/agents/ClaimReport.h"
#include "feedback/agents/ProgramIdentity.h"
#include "feedback/evaluators/virtual/verify/Verification.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What one point came to.
struct JudgedPoint {
  std::string name;
  std::string verdict = "undecided"; ///< or "accepted", "declined", "refused"
  std::string stage;
  std::string code;
  std::string category; ///< of what went wrong: "syntax", "semantics", "resources", ...
  std::string reason;
  std::vector<std::string> details;
  std::string text; ///< checksum of the changed file's tokens
  agents::ProgramIdentity program;
  std::string repeats; ///< the record in which it was tried
  std::vector<agents::CheckedClaim> claims;
  std::vector<Prediction> before, after;
  std::optional<Verification> verification;
  double cost = 0;  ///< by the model, over the original's; 0: unknown
  double ratio = 0; ///< measured, geometric mean over the shapes; 0: not measured
  std::string gainBy;
  bool explained = false;
  std::string patch;

  /// Ends it with a verdict other than accepted. False, so that a step of the net can return it.
  bool failed(const char *how, std::string at, std::string kind, std::string why) {
    verdict = how;
    stage = std::move(at);
    category = std::move(kind);
    reason = std::move(why);
    return false;
  }
};

/// As a candidate of a `warpwright/submission-record/1` document.
nlohmann::ordered_json toJson(const JudgedPoint &point);

/// What whoever submitted it had best do now.
std::string nextStepAfter(const JudgedPoint &point);

} // namespace warpwright
