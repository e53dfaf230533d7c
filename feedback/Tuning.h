#pragma once

#include "feedback/ChooseMeasured.h"
#include "feedback/Evidence.h"
#include "feedback/Lock.h"

#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// A unit of change of one kernel: some edits of one of its candidates.
struct TunedUnit {
  size_t candidate = 0;      ///< by position in the record
  std::vector<size_t> edits; ///< by position in the candidate
  LockedChange change;       ///< the same in the words of the lock
};

/// One kernel while it is measured: what it may become, what is known, and what the choice will hold for.
struct TunedKernel {
  LockEntry conditions; ///< the entry without choice, reason and times; device and driver once measured
  std::vector<TunedUnit> units;
  MeasuredCase measured;

  /// "pad-shared-array pad=1 + qualify-restrict", for reports.
  std::string nameOf(const UnitSet &set) const;
  /// The same with its guard: "block-registers n=2 where m >= 1024".
  std::string nameOf(const GuardedSet &guarded) const;
};

/// What of a candidate's edits can be left out alone: one edit, save where a launch plan ties them together.
/// Candidates whose edits overlap, and points of one parameter space, conflict. `text` is the original's.
TunedKernel tunedKernel(const KernelRecord &record, llvm::ArrayRef<size_t> candidates, llvm::StringRef text);

/// The lock's entry for a choice: units of one candidate become one change again.
LockEntry entryOf(const TunedKernel &kernel, const MeasuredChoice &choice);

/// The change as the lock writes it: each edit with the text that it replaces.
LockedChange lockedChange(const Candidate &candidate, llvm::StringRef text);

/// Marks the candidates that make up the choice, gives each candidate what was measured of it, and says why.
/// Where ablation left out edits of a candidate, a record of what is left is added and chosen in its place;
/// likewise one of the set under its guard.
void applyChoice(const TunedKernel &kernel, const MeasuredChoice &choice, KernelRecord &record);

/// The candidates, of which the edits at these positions were kept, as one under the guard.
struct KeptEdits {
  size_t candidate = 0;
  std::vector<size_t> edits;
};
llvm::Expected<Candidate> guardedCandidate(const KernelRecord &record, llvm::ArrayRef<KeptEdits> kept,
                                           llvm::StringRef guard, unsigned copy = 0);

/// Marks the candidates that an entry of the lock has chosen. Nothing where all of it was found; else which
/// change is not proposed any more.
std::optional<std::string> applyLock(const LockEntry &entry, llvm::StringRef text, KernelRecord &record);

} // namespace warpwright
