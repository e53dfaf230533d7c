#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpwright::runner {

/// Why code is not acceptable: one row of Faults.def each.
enum class FaultKind {
#define WARPWRIGHT_FAULT(Enumerator, id, meaning) Enumerator,
#include "feedback/evaluators/cuda/runner/Faults.def"
};

std::string_view toString(FaultKind kind);
std::string_view meaningOf(FaultKind kind);

/// Who did it. What the original does wrong can't be held against a candidate: it leaves it undecided.
enum class Blame { Candidate, Original };

struct Fault {
  FaultKind kind;
  Blame blame;
  std::string shape;  ///< empty: none in particular
  std::string detail; ///< what was seen, with numbers
};

} // namespace warpwright::runner
