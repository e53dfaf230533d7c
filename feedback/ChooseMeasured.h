#pragma once

#include "analysis/annotation/ScalarExpression.h"
#include "feedback/Measurement.h"

#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpwright {

/// Units of change, by number, in ascending order. A unit is what can be left out alone: one edit, or all of
/// a candidate whose edits need each other. The empty set is the original.
using UnitSet = std::vector<unsigned>;

/// A set that is launched where a condition on the shape's integers holds, the original elsewhere.
struct GuardedSet {
  UnitSet set;
  std::string guard; ///< "m >= 1024"; empty: everywhere
  unsigned copy = 0; ///< which of the kernel's copies it is, where several are launched

  auto operator<=>(const GuardedSet &) const = default;
};

/// Whether, and by what, there can be a choice on the host between the original and a set.
struct DispatchMeans {
  std::string whyNot = "it was not asked for"; ///< of any set; empty: nothing speaks against it
  std::map<std::string, ScalarValues> scalars; ///< the integers of each shape, by its name
  std::map<unsigned, std::string> fixed;       ///< units that cannot be in one, and why
  bool measured = false;                       ///< what is guarded is measured as a whole, too
  std::map<GuardedSet, Measurement> asAWhole;  ///< what came of that
};

/// What is chosen from: the proposals for one kernel, and all that was measured of them.
struct MeasuredCase {
  std::vector<UnitSet> candidates; ///< as they were proposed
  /// Units that never go together: edits of the same text, points of one parameter space.
  std::vector<std::pair<unsigned, unsigned>> conflicts;
  std::map<UnitSet, Measurement> measured; ///< each beside the original
  DispatchMeans dispatch;
};

/// A set that gains on some shapes and loses on others, or may: worth a dispatch by shape, where one is
/// allowed.
struct ConditionalOffer {
  UnitSet set;
  std::string guard;  ///< that holds where it gains and not where it loses; empty: none was found
  std::string whyNot; ///< why it cannot be built under the guard; empty where it can
  std::vector<std::string> faster;
  std::vector<std::string> slower;
};

struct MeasuredChoice {
  UnitSet set;       ///< empty: the original stays
  std::string guard; ///< under which the set is launched; empty: everywhere
  /// Variants whose guards are asked before that of the set, in their order. Where there are any, the set has
  /// a guard; "1" is that of one that is launched everywhere else.
  std::vector<GuardedSet> before;
  std::optional<Measurement> underGuard; ///< all that is launched under guards; nothing without one
  std::string reason;
  std::vector<ConditionalOffer> conditional; ///< best first
  /// What would have to be measured, too, before the choice is final. Measuring these and choosing again ends
  /// after finitely many rounds.
  std::vector<UnitSet> needed;
  /// What would have to be measured under its guard, once nothing else is needed.
  std::vector<GuardedSet> neededGuarded;
};

/// Whether the candidate may take the original's place: results hold, no shape is slower beyond the noise,
/// and one is faster. Undecided where a shape may be slower by more than the margin and the times do not say.
Verdict judgeMeasurement(const Measurement &measurement);

/// A pure function of what was measured. Every proposal is judged; where one is slower on some shapes, what
/// is left without each of its units is, too. The best of those accepted, by the geometric mean of ratios
/// (between equals the smaller, and the earlier proposal), takes in each other that makes it better; then it
/// loses every unit without which no shape is slower, so that the smallest set that holds the gain remains. A
/// set that loses on some shapes takes its place where a guard separates those and the set, counted as the
/// original on shapes where the guard does not hold, is faster over the family. Then, while it gains over the
/// family, a set that is faster than the choice on some shapes is asked before it, under a guard that
/// separates those from the ones where it is slower.
MeasuredChoice chooseByMeasurement(const MeasuredCase &measured);

/// The measured sets whose results hold, by the geometric mean of their ratios, the fastest first. At most
/// `most`; the original is not among them.
std::vector<UnitSet> leadingSets(const MeasuredCase &measured, size_t most);

/// What is known of a set under a guard before it is measured so: the original's times where the guard does
/// not hold.
Measurement underGuard(const Measurement &measurement, const DispatchMeans &means,
                       const ScalarExpression &guard);

/// What a carried measurement asks for at once, since nobody chooses in between: every proposal, every
/// proposal less each of its units, all that go together by order of proposal, and those less each of their
/// units.
std::vector<UnitSet> setsToCarry(const MeasuredCase &measured);

} // namespace warpwright
