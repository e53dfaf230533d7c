#pragma once

#include "feedback/evaluators/values/ElementType.h"
#include "feedback/evaluators/values/ErrorDistribution.h"

#include <cstdint>
#include <optional>
#include <string>

namespace warpwright::values {

/// What a result may differ by. An element passes when |candidate - reference| <= absolute + relative *
/// scale, where scale is the larger of |reference| and the root mean square of the reference over the buffer:
/// a sum of centred numbers that happens to come out near zero must not make the relative error meaningless.
struct Tolerance {
  bool exact = true; ///< the same bits, but any NaN equals any NaN; the numbers below are then unused
  double relative = 0;
  double absolute = 0;
  double bias = 0; ///< of the mean relative error; 0 leaves it unjudged
};

/// What a comparison came to.
struct ErrorSummary {
  uint64_t count = 0;      ///< elements compared
  uint64_t different = 0;  ///< elements of which some bit differs, NaN beside NaN aside
  uint64_t bad = 0;        ///< elements beyond the tolerance, those that are not finite included
  uint64_t notANumber = 0; ///< NaN on one side only
  uint64_t infinite = 0;   ///< infinite on one side only, or with opposite signs
  std::optional<uint64_t> firstBad;
  double referenceAtFirstBad = 0;
  double candidateAtFirstBad = 0;
  ErrorDistribution errors; ///< of the finite elements
};

/// The root mean square of the finite elements; 0 for none.
double rootMeanSquare(ElementType type, const void *buffer, uint64_t count);

/// Collects errors over parts of buffers, or over several runs of one buffer. Cheap where bits are equal.
class ErrorAccumulator {
public:
  explicit ErrorAccumulator(const Tolerance &tolerance);

  /// Compares `count` elements; `scaleFloor` is the reference's rootMeanSquare over its whole buffer. `index`
  /// is that of the first one, for firstBad: among several runs, the run that first went wrong decides.
  void add(ElementType type, const void *reference, const void *candidate, uint64_t index, uint64_t count,
           double scaleFloor);
  /// Adds what another has collected under the same tolerance, as if it had come after.
  void merge(const ErrorAccumulator &other);
  const ErrorSummary &summary() const { return counts_; }

private:
  void addElement(ElementType type, const void *reference, const void *candidate, uint64_t offset,
                  uint64_t index, double scaleFloor);
  void noteBad(uint64_t index, double reference, double candidate);

  Tolerance tolerance_;
  ErrorSummary counts_;
};

/// Why results are not acceptable, in words for a report, or nothing. An empty comparison is never
/// acceptable. A bias of 0 leaves it unjudged.
std::optional<std::string> judge(const ErrorSummary &errors, const Tolerance &tolerance);

} // namespace warpwright::values
