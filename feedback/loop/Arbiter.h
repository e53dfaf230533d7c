#pragma once

#include "feedback/loop/Candidates.h"

namespace warpwright::loop {

/// What a multiprocessor, or a policy, allows.
struct Budget {
  double registers = 255; ///< a thread
  double sharedBytes = 48 << 10;
  double threads = 1024; ///< a block
};

/// One change beside others: what it edits, adds, and is expected to gain.
struct Part {
  std::string name;
  std::vector<Span> spans;
  double registers = 0;   ///< a thread, beyond the original's
  double sharedBytes = 0; ///< a block, beyond the original's
  double threads = 1;     ///< times the original's block
  double gain = 0;        ///< logarithm of the time before over the time after
};

/// Two parts that cannot be together, or one that cannot be at all: then they are the same.
struct Conflict {
  size_t first = 0;
  size_t second = 0;
  std::string why;
};

struct Arbitration {
  std::vector<size_t> chosen; ///< by position, ascending
  double gain = 0;            ///< sum of theirs
  std::vector<Conflict> conflicts;
  std::vector<std::string> trades; ///< what was given up for what, for the record
};

/// Finds, before anything is compiled, which changes overlap or together break the budget, and the set of the
/// largest gain among those that do neither. Exact up to `exactParts` parts; beyond, those of the largest
/// gain are arbitrated exactly, and the others join in the order of their gains where they fit.
Arbitration arbitrate(llvm::ArrayRef<Part> parts, const StaticFacts &original, const Budget &budget);
inline constexpr size_t exactParts = 24;

} // namespace warpwright::loop
