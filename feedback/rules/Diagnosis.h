#pragma once

#include "analysis/Finding.h"
#include "feedback/Bottleneck.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// A rule's reading of one launch's counters.
struct Diagnosis {
  Bottleneck bottleneck = Bottleneck::MemoryBandwidth;
  std::string rule; ///< id, the row of FeedbackRules.def
  /// 0..1: the share of the kernel's time that it explains. Rules are ordered by it; a small share speaks
  /// softly.
  double share = 0;
  /// 0..1: how sure the rule is, after what is missing and what disagreed on this architecture.
  double confidence = 0;
  Place place;                      ///< of the source line that waits most for it; unknown without samples
  std::string message;              ///< what was measured and what that means
  std::vector<Evidence> evidence;   ///< the numbers
  std::string structuralAdvice;     ///< changes of the code's shape
  std::string parameterAdvice;      ///< block sizes, unroll factors, limits: empty where none helps
  std::vector<std::string> agrees;  ///< ids of static findings that say the same of the same place
  std::vector<std::string> differs; ///< what static analysis says otherwise, in words
};

/// What one profile says: everything that was found, and the two that lead.
struct ProfileReading {
  std::string code;  ///< as the profile has it
  std::string shape; ///< as the profile has it
  std::optional<Bottleneck> primary;
  std::optional<Bottleneck> secondary;
  std::vector<Diagnosis> diagnoses; ///< by share, the largest first
  std::vector<std::string> notes;   ///< what could not be read, and why confidence is lower
};

nlohmann::ordered_json toJson(const ProfileReading &reading);

} // namespace warpwright
