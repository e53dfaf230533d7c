#pragma once

#include "feedback/Measurement.h"

#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpwright {

/// Units of change, by number, in ascending order. A unit is what can be left out alone: one edit, or all of
/// a candidate whose edits need each other. The empty set is the original.
using UnitSet = std::vector<unsigned>;

/// What is chosen from: the proposals for one kernel, and all that was measured of them.
struct MeasuredCase {
  std::vector<UnitSet> candidates; ///< as they were proposed
  /// Units that never go together: edits of the same text, points of one parameter space.
  std::vector<std::pair<unsigned, unsigned>> conflicts;
  std::map<UnitSet, Measurement> measured; ///< each beside the original
};

/// A set that gains on some shapes and loses on others: worth a dispatch by shape, where one is allowed.
struct ConditionalOffer {
  UnitSet set;
  std::vector<std::string> faster;
  std::vector<std::string> slower;
};

struct MeasuredChoice {
  UnitSet set; ///< empty: the original stays
  std::string reason;
  std::vector<ConditionalOffer> conditional; ///< best first
  /// What would have to be measured, too, before the choice is final. Measuring these and choosing again ends
  /// after finitely many rounds.
  std::vector<UnitSet> needed;
};

/// Whether the candidate may take the original's place: results hold, no shape is slower beyond the noise,
/// and one is faster. Undecided where a shape may be slower by more than the margin and the times do not say.
Verdict judgeMeasurement(const Measurement &measurement);

/// A pure function of what was measured. Every proposal is judged; where one is slower on some shapes, what
/// is left without each of its units is, too. The best of those accepted, by the geometric mean of ratios
/// (between equals the smaller, and the earlier proposal), takes in each other that makes it better; then it
/// loses every unit without which no shape is slower, so that the smallest set that holds the gain remains.
MeasuredChoice chooseByMeasurement(const MeasuredCase &measured);

/// What a carried measurement asks for at once, since nobody chooses in between: every proposal, every
/// proposal less each of its units, all that go together by order of proposal, and those less each of their
/// units.
std::vector<UnitSet> setsToCarry(const MeasuredCase &measured);

} // namespace warpwright
