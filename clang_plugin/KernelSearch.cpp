#include "clang_plugin/KernelSearch.h"

#include "clang_plugin/ShapeExperts.h"
#include "feedback/FirstLook.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <limits>

namespace warpwright {
namespace {

constexpr double nearTheLimit = 0.9;
constexpr double secondsACandidate = 2; ///< of nvcc and a look, as measured on an H200

/// How much of the original's time the work itself takes, on the shape where that is least; 0: not known.
/// Above 1 the limit is none: what caches hold does not come from memory.
double shareOfLimit(const Measurement &original) {
  double least = std::numeric_limits<double>::infinity();
  for (const ShapeMeasurement &shape : original.shapes) {
    if (!shape.timed || shape.original.median <= 0)
      return 0;
    least = std::min(least, leastMicroseconds(shape.work, original.environment) / shape.original.median);
  }
  return original.shapes.empty() ? 0 : least;
}

/// A search that its own result changes is none: everything that a figure depends on is in here.
std::string conditionsOf(const LockEntry &entry) {
  std::string text =
      entry.tokens + "\n" + entry.toolkit + "\n" + entry.device + "\n" + entry.driver + "\n" + entry.protocol;
  for (const std::string &part : entry.flags)
    text += "\n" + part;
  for (const std::string &part : entry.shapes)
    text += "\n" + part;
  return text;
}

/// Everything that does not go on to the whole protocol gets its verdict.
void keepLeaders(KernelTuning &tuning, const TuningSubject &subject, const std::string &stopped) {
  MeasuredCase &measured = tuning.kernel().measured;
  std::vector<UnitSet> looked;
  for (const UnitSet &set : measured.candidates)
    if (subject.looks().contains(set))
      looked.push_back(set);
  const std::vector<UnitSet> kept = worthMeasuring(looked, subject.looks(), keptByFirstLook);
  for (const UnitSet &set : measured.candidates) {
    if (llvm::is_contained(kept, set))
      continue;
    auto look = subject.looks().find(set);
    if (look == subject.looks().end())
      measured.measured[set] =
          tuning.decided({set, {}}, {Verdict::Kind::Undecided, "search", "it was not looked at: " + stopped});
    else if (look->second.verdict.kind == Verdict::Kind::Declined)
      measured.measured[set] = look->second;
    else {
      // Its times stay: what is learned of the model rests on all that were taken.
      Measurement looked = look->second;
      looked.verdict = {Verdict::Kind::Declined, firstLookStage,
                        describeLook(look->second) + "; " + std::to_string(kept.size()) +
                            " that lead are measured in full"};
      measured.measured[set] = std::move(looked);
    }
    tuning.drop({set, {}});
  }
}

std::string wordsOf(const loop::LoopResult &result, const loop::Subject &subject, size_t candidates) {
  const loop::Accounting &cost = result.accounting;
  std::string text =
      llvm::formatv("{0} rounds, {1}; of {2} candidates {3} were proposed, {4} pruned before nvcc, {5} "
                    "refused as tried, {6} "
                    "compiled and run, {7} recalled; {8:F1} s waiting for nvcc, {9:F1} s of the device, "
                    "{10:F1} s in all; best "
                    "{11} at {12:F3} of the original's time on a look",
                    result.rounds, result.stopped, candidates, cost.proposed, cost.pruned, cost.refused,
                    cost.measured, cost.recalled, cost.compileSeconds, cost.deviceSeconds, cost.wallSeconds,
                    result.best ? subject.candidates()[*result.best].name() : "the original", result.ratio);
  if (result.best)
    text += llvm::formatv(" (worst shape {0:F3}, median of all {1:F3})", result.worst, result.medianOfRatios);
  if (result.falseKillRate > 0)
    text +=
        llvm::formatv("; {0:P0} of the declined that were measured anyway were good", result.falseKillRate);
  return text;
}

} // namespace

llvm::Expected<BeforeSearch> lookBefore(KernelTuning &tuning, const SearchSettings &settings) {
  BeforeSearch before;
  llvm::Expected<std::optional<Measurement>> look = tuning.lookAtOriginal();
  if (!look)
    return look.takeError();
  before.original = std::move(*look);
  if (!before.original || before.original->shapes.empty() || !before.original->shapes.front().timed)
    return before;
  const Measurement &original = *before.original;
  if (double share = shareOfLimit(original); share >= nearTheLimit && share <= 1) {
    before.whyNot = llvm::formatv(
        "left alone: on every shape {0:P0} of its time are what its work takes at least", share);
    return before;
  }
  const loop::LoopOptions &options = settings.options;
  size_t candidates = std::min<size_t>(tuning.kernel().measured.candidates.size(),
                                       size_t(options.mostRounds) * options.perRound);
  if (options.mostCandidates > 0)
    candidates = std::min(candidates, options.mostCandidates);
  const ShapeMeasurement &main = original.shapes.front();
  const double saved =
      std::max(0.0, main.original.median - leastMicroseconds(main.work, original.environment)) * 1e-6;
  const double search = secondsACandidate * double(candidates);
  if (settings.expectedRuns > 0 && saved > 0 && settings.expectedRuns * saved < search)
    before.whyNot =
        llvm::formatv("left alone: {0:F0} runs save {1:F1} s at the very best, a search takes about "
                      "{2:F0} s; it pays from {3:F0} runs on",
                      settings.expectedRuns, settings.expectedRuns * saved, search, search / saved);
  return before;
}

llvm::Expected<std::string> searchKernel(KernelTuning &tuning, const KernelRecord &record,
                                         const BeforeSearch &before, const SearchSettings &settings) {
  TuningSubject subject(tuning, record, before.original ? &*before.original : nullptr, settings.bottlenecks);
  const size_t candidates = subject.candidates().size();
  loop::LoopOptions options = settings.options;
  options.conditions = conditionsOf(tuning.kernel().conditions);
  loop::Loop search(subject, *settings.knowledge, options);
  ShapeExperts shapes(subject);
  search.add(shapes);
  search.onProgress([&](llvm::StringRef line) {
    llvm::errs() << "warpwright: remark: " << record.name << ": " << line << '\n';
  });
  llvm::Expected<loop::LoopResult> result = search.run();
  if (!result)
    return result.takeError();
  keepLeaders(tuning, subject, result->stopped);
  return wordsOf(*result, subject, candidates);
}

std::string breakEven(const Measurement &chosen, double seconds) {
  if (chosen.shapes.empty() || !chosen.shapes.front().timed)
    return {};
  const ShapeMeasurement &main = chosen.shapes.front();
  const double saved = (main.original.median - main.candidate.median) * 1e-6;
  if (saved <= 0)
    return {};
  return llvm::formatv("{0:F1} s of tuning are saved again after {1:F0} runs of {2}", seconds,
                       seconds / saved, main.shape);
}

} // namespace warpwright
