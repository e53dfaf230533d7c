#pragma once

#include "feedback/evaluators/cuda/runner/Statistics.h"

#include <vector>

namespace warpwright::runner {

/// Times of single runs in microseconds. The k-th of each were taken in the same round, close together.
struct Series {
  std::vector<double> original;
  std::vector<double> candidate;
};

/// All that was timed on one shape.
struct Timings {
  Series warm;              ///< right after an untimed run on the same inputs
  Series fresh;             ///< other inputs than in the run before, outputs poisoned
  Series cold;              ///< the L2 cache overwritten
  std::vector<double> twin; ///< warm: the original's code, loaded a second time
  Series afterEnd;          ///< warm: from the timed stream's last event until the whole device was idle
  Series otherStreams;      ///< warm: from that event until the plan's other streams were done; 0 without any
  bool stable = true;       ///< two sessions in a row agreed
};

/// What the plan asked for that changes which times may decide.
struct TimingContext {
  bool coldDecides = false;
  bool exceedsCache = false; ///< the buffers do not fit the L2 cache together
  bool asksForPersistingLines = false;
};

struct TimingVerdict {
  Comparison comparison = Comparison::Ambiguous; ///< by the times that decide
  Comparison warm = Comparison::Ambiguous;
  Comparison cold = Comparison::Ambiguous;
  Ratio warmRatio;
  Ratio coldRatio;
  double noise = 0;
  bool worksAfterEnd = false;
  bool dependsOnState = false;
  bool needsPersistingCache = false;
};

/// A pure function of what was measured. Each series has samples; `candidate` may be empty, then only the
/// noise is known.
TimingVerdict judgeTimings(const Timings &timings, const TimingContext &context);

} // namespace warpwright::runner
