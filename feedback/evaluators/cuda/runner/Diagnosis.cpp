#include "feedback/evaluators/cuda/runner/Diagnosis.h"

#include <cstring>

namespace warpwright::runner {
namespace {

constexpr unsigned sameAgain = 5;

} // namespace

bool Diagnosis::dependsOnDeviceState(const Circumstances &failed) const {
  Fallible<FreshCandidate> again = fresh();
  if (!again)
    return false;
  Variant anew = {candidate.name, candidate.blame, again->plan.get()};
  Outputs outputs;
  if (bench.runAndFetch(anew, failed, "in a fresh module", outputs) || !isRight(outputs))
    return false;
  return !bench.runAndFetch(candidate, failed, "once more", outputs) && !isRight(outputs);
}

std::optional<bool> Diagnosis::differs(const Circumstances &changed, const Outputs &before) const {
  Outputs outputs;
  if (bench.runAndFetch(candidate, changed, "with one thing changed", outputs))
    return std::nullopt;
  return !sameBits(bench.shape(), before, outputs);
}

bool Diagnosis::readsOutputs(const Circumstances &failed, const Outputs &before) const {
  // Where the original leaves elements alone, the poison shows in its outputs, too: only a poison that the
  // original's results do not show counts.
  Outputs candidateAfter, originalBefore, originalAfter;
  if (bench.runAndFetch(original, failed, "for the cause", originalBefore))
    return false;
  for (uint32_t poison : {0xffffffffu, plausiblePoison(1000), 0u}) {
    Circumstances changed = failed;
    changed.poison = poison;
    if (bench.runAndFetch(candidate, changed, "with other outputs", candidateAfter) ||
        bench.runAndFetch(original, changed, "for the cause", originalAfter))
      return false;
    if (sameBits(bench.shape(), originalBefore, originalAfter) &&
        !sameBits(bench.shape(), before, candidateAfter))
      return true;
  }
  return false;
}

Stop Diagnosis::nameCause(const Circumstances &failed, bool leftUnwritten, const std::string &detail) const {
  auto cause = [&](FaultKind kind) { return Stop::of(bench.fault(kind, candidate, detail)); };
  if (dependsOnDeviceState(failed))
    return cause(FaultKind::DeviceState);
  if (leftUnwritten)
    return cause(FaultKind::NotWritten);
  Outputs before, again;
  if (bench.runAndFetch(candidate, failed, "for the cause", before))
    return cause(FaultKind::WrongResult);
  for (unsigned time = 0; time < sameAgain; ++time) {
    if (bench.runAndFetch(candidate, failed, "for the cause", again))
      return cause(FaultKind::WrongResult);
    if (!sameBits(bench.shape(), before, again))
      return cause(FaultKind::Nondeterministic);
  }
  if (isRight(before)) // it was wrong once, and is not any more
    return cause(FaultKind::Nondeterministic);
  Circumstances changed = failed;
  for (uint32_t word : {0u, 0x3f800000u, 0xffffffffu}) {
    changed.shared = word;
    if (differs(changed, before).value_or(false))
      return cause(FaultKind::SharedUninitialised);
  }
  changed = failed;
  for (unsigned other = 1; other < Workspace::guardPatterns; ++other) {
    changed.guards = failed.guards + other;
    if (differs(changed, before).value_or(false))
      return cause(FaultKind::ReadsOutside);
  }
  return cause(readsOutputs(failed, before) ? FaultKind::ReadsOutput : FaultKind::WrongResult);
}

} // namespace warpwright::runner
