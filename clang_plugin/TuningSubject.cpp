#include "clang_plugin/TuningSubject.h"

#include "feedback/CostModel.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MD5.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace warpwright {
namespace {

using nlohmann::ordered_json;

/// A candidate that the model holds for more times the cheapest one's cost is not looked at, save for a few
/// that hold the rule against the device. Far wider than what the recorded spaces bear: there facts are
/// complete.
constexpr double screenMargin = 3;
constexpr size_t fewestToScreen = 20;

std::string checksum(llvm::StringRef text) {
  llvm::MD5 hash;
  hash.update(text);
  return hash.final().digest().str().str();
}

/// Layout does not count.
std::string normalised(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  return llvm::join(words, " ");
}

void addParameters(const RewriteStep &step, loop::Parameters &parameters) {
  for (const auto &[name, value] : step.parameters)
    if (!parameters.try_emplace(name, value).second) // an earlier step has one of that name
      parameters.try_emplace(step.rewriter + "." + name, value);
}

std::string factsText(const Prediction &prediction) {
  std::string text = std::to_string(prediction.registers) + " " + std::to_string(prediction.spillBytes) +
                     " " + std::to_string(prediction.machineInstructions) + " " +
                     std::to_string(prediction.sharedBytes);
  for (const ShapePrediction &shape : prediction.shapes)
    for (uint64_t count : {shape.globalRequests, shape.globalSectors, shape.sharedRequests,
                           shape.sharedWavefronts, shape.warpInstructions, shape.doubleInstructions})
      text += " " + std::to_string(count);
  return text;
}

bool isExact(const Prediction &prediction) {
  return prediction.hasResources && !prediction.shapes.empty() &&
         llvm::all_of(prediction.shapes, [](const ShapePrediction &shape) { return shape.grade == "exact"; });
}

const Prediction *predictionFor(const std::vector<Prediction> &predictions, llvm::StringRef architecture) {
  for (const Prediction &prediction : predictions)
    if (prediction.architecture == architecture)
      return &prediction;
  return predictions.empty() ? nullptr : &predictions.front();
}

bool isTimed(const Measurement &look) {
  return !look.shapes.empty() && llvm::all_of(look.shapes, [](const ShapeMeasurement &shape) {
    return shape.timed && shape.ratio > 0;
  });
}

std::string detailOf(const Measurement &look) {
  ordered_json shapes = ordered_json::array();
  for (const ShapeMeasurement &shape : look.shapes) {
    shapes.push_back({{"shape", shape.shape}});
    if (shape.timed)
      shapes.back().update({{"ratio", shape.ratio},
                            {"original", shape.original.median},
                            {"candidate", shape.candidate.median}});
  }
  return ordered_json({{"verdict", toString(look.verdict.kind)},
                       {"stage", look.verdict.stage},
                       {"reason", look.verdict.reason},
                       {"shapes", shapes}})
      .dump();
}

Verdict verdictIn(const ordered_json &detail) {
  Verdict verdict;
  for (Verdict::Kind kind : {Verdict::Kind::Accepted, Verdict::Kind::Declined})
    if (detail.value("verdict", std::string()) == toString(kind))
      verdict.kind = kind;
  verdict.stage = detail.value("stage", std::string());
  verdict.reason = detail.value("reason", std::string());
  return verdict;
}

} // namespace

TuningSubject::TuningSubject(KernelTuning &tuning, const KernelRecord &record, const Measurement *original,
                             BottlenecksOf bottlenecks)
    : tuning_(tuning), record_(record), original_(original), bottlenecks_(std::move(bottlenecks)) {
  before_ = factsOf(record_.before, nullptr);
  for (const UnitSet &set : tuning_.kernel().measured.candidates) {
    const CandidateRecord &candidate = record_.candidates[tuning_.kernel().units[set.front()].candidate];
    sets_.push_back(set);
    facts_.push_back(
        factsOf(candidate.predictions, candidate.candidate.plan ? &*candidate.candidate.plan : nullptr));
    loop::LoopCandidate described = describe(set);
    if (!facts_.back().empty())
      described.facts = facts_.back().front();
    expected_.push_back(expectedOf(candidate.predictions));
    described.predicted = meanOfRatios(expected_.back(), mayDispatch());
    candidates_.push_back(std::move(described));
  }
  if (candidates_.size() >= fewestToScreen)
    loop::declineCostly(candidates_, screenMargin);
}

bool TuningSubject::mayDispatch() const {
  return tuning_.kernel().measured.dispatch.whyNot.empty();
}

/// Ratios to the original's time by the model, of the measured shapes; empty where they are not known.
std::vector<double> TuningSubject::expectedOf(const std::vector<Prediction> &predictions) const {
  const Prediction *before = predictionFor(record_.before, architecture());
  const Prediction *after = predictionFor(predictions, architecture());
  const Architecture *known = before ? findArchitecture(before->architecture) : nullptr;
  if (!known || !after || before->shapes.size() != tuning_.measured().shapes.size())
    return {};
  return estimatedRatios(*before, *after, DeviceFigures::typicalOf(*known));
}

double TuningSubject::ratioOf(const Measurement &look) const {
  std::vector<double> ratios;
  for (const ShapeMeasurement &shape : look.shapes)
    ratios.push_back(shape.ratio);
  return meanOfRatios(ratios, mayDispatch());
}

std::string TuningSubject::architecture() const {
  return tuning_.kernel().conditions.architecture;
}

loop::StaticFacts TuningSubject::originalFacts() const {
  return before_.empty() ? loop::StaticFacts() : before_.front();
}

/// A fact of each measured shape; empty where one of them is not known.
std::vector<loop::StaticFacts> TuningSubject::factsOf(const std::vector<Prediction> &predictions,
                                                      const LaunchPlan *plan) const {
  const Prediction *prediction = predictionFor(predictions, architecture());
  if (!prediction)
    return {};
  std::vector<loop::StaticFacts> found;
  for (const MeasuredShape &shape : tuning_.measured().shapes) {
    auto counted = llvm::find_if(prediction->shapes, [&](const ShapePrediction &one) {
      return one.shape == shape.label && one.grade != "unknown";
    });
    if (counted == prediction->shapes.end())
      return {};
    Launch launch = shape.launch;
    if (plan) {
      std::vector<AnnotationContext> kernels;
      for (const PlanStep &step : plan->steps)
        if (const auto *planned = std::get_if<PlannedLaunch>(&step)) {
          kernels.push_back(tuning_.measured().signature);
          kernels.back().kernel = planned->kernel;
        }
      llvm::Expected<std::optional<ConcretePlan>> concrete =
          evaluatePlan(*plan, shape.launch, tuning_.measured().signature, kernels);
      if (!concrete) {
        llvm::consumeError(concrete.takeError()); // whoever measures it says why
        return {};
      }
      if (*concrete)
        for (const ConcreteStep &step : (*concrete)->steps)
          if (const auto *launched = std::get_if<ConcreteLaunch>(&step))
            launch = launched->launch;
    }
    loop::StaticFacts facts;
    facts.sectors = double(counted->globalSectors);
    facts.wavefronts = double(counted->sharedWavefronts);
    facts.instructions = double(counted->warpInstructions);
    facts.threads = double(launch.block.x) * launch.block.y * launch.block.z;
    facts.blocks = double(launch.grid.x) * launch.grid.y * launch.grid.z;
    facts.sharedBytes = double(prediction->sharedBytes + launch.dynamicSharedBytes);
    if (prediction->hasResources)
      facts.registers = std::max(1.0, double(prediction->registers) - loop::registersBesides);
    facts.bytes = double(shape.work.bytes);
    found.push_back(facts);
  }
  return found;
}

loop::LoopCandidate TuningSubject::describe(const UnitSet &set) const {
  const TunedKernel &kernel = tuning_.kernel();
  const CandidateRecord &record = record_.candidates[kernel.units[set.front()].candidate];
  const Candidate &candidate = record.candidate;
  loop::LoopCandidate described;
  described.structure = candidate.rewriters();
  for (const RewriteStep &step : candidate.earlier)
    addParameters(step, described.parameters);
  addParameters(candidate, described.parameters);
  std::string edits;
  for (const Edit &edit : candidate.edits) {
    edits +=
        std::to_string(edit.offset) + "+" + std::to_string(edit.length) + " " + normalised(edit.text) + "\n";
    described.spans.push_back({edit.file, edit.offset, edit.offset + edit.length});
  }
  described.source = checksum(edits);
  if (candidate.plan)
    described.plan = checksum(toJson(*candidate.plan).dump());
  if (!candidate.edits.empty()) {
    const Edit &first = candidate.edits.front();
    described.reason = first.reason + (first.expectedGain.empty() ? "" : ": " + first.expectedGain);
  }
  const Prediction *prediction = predictionFor(record.predictions, architecture());
  if (prediction && isExact(*prediction)) {
    // Counts do not see hints and orders: two changes are one only where they also claim the same.
    std::string mechanism = factsText(*prediction) + described.plan;
    for (const Claim &claim : candidate.claims)
      mechanism += "\n" + toString(claim);
    described.mechanism = checksum(mechanism);
  }
  return described;
}

llvm::Expected<loop::LoopOutcome> TuningSubject::measure(size_t candidate) {
  const UnitSet set = sets_[candidate];
  const auto start = std::chrono::steady_clock::now();
  const double waited = tuning_.waited();
  llvm::Expected<std::optional<Measurement>> look = tuning_.look({set, {}});
  if (!look)
    return look.takeError();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  Measurement measurement = std::move(**look); // a device answers at once
  loop::LoopOutcome outcome;
  outcome.compileSeconds = tuning_.waited() - waited;
  outcome.seconds = std::max(0.0, wall.count() - outcome.compileSeconds);
  outcome.verdict = measurement.verdict;
  outcome.detail = detailOf(measurement);
  if (isTimed(measurement)) {
    for (const ShapeMeasurement &shape : measurement.shapes)
      outcome.worst = std::max(outcome.worst, shape.ratio);
    outcome.ratio = ratioOf(measurement);
  }
  looks_[set] = std::move(measurement);
  return outcome;
}

const Measurement *TuningSubject::lookOf(size_t candidate) const {
  auto known = looks_.find(sets_[candidate]);
  return known == looks_.end() ? nullptr : &known->second;
}

void TuningSubject::recall(size_t candidate, const std::string &detail) {
  auto known = ordered_json::parse(detail, nullptr, /*allow_exceptions=*/false);
  if (known.is_discarded() || !known.is_object())
    return;
  Measurement look = tuning_.decided({sets_[candidate], {}}, verdictIn(known));
  for (const ordered_json &entry : known.value("shapes", ordered_json::array())) {
    ShapeMeasurement shape;
    shape.shape = entry.value("shape", std::string());
    shape.timed = entry.contains("ratio");
    shape.ratio = entry.value("ratio", 1.0);
    shape.original.median = entry.value("original", 0.0);
    shape.candidate.median = entry.value("candidate", 0.0);
    look.shapes.push_back(std::move(shape));
  }
  looks_[sets_[candidate]] = std::move(look);
}

std::optional<size_t> TuningSubject::combine(llvm::ArrayRef<size_t> candidates) {
  TunedKernel &kernel = tuning_.kernel();
  UnitSet all;
  loop::LoopCandidate joint;
  std::string sources;
  for (size_t i : candidates) {
    llvm::append_range(all, sets_[i]);
    const loop::LoopCandidate &part = candidates_[i];
    joint.structure += (joint.structure.empty() ? "" : " & ") + part.structure;
    for (const auto &[name, value] : part.parameters)
      joint.parameters.try_emplace(part.structure + "." + name, value);
    llvm::append_range(joint.spans, part.spans);
    sources += part.source;
    if (!part.plan.empty())
      joint.plan = part.plan;
  }
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const auto &[one, other] : kernel.measured.conflicts)
    if (llvm::is_contained(all, one) && llvm::is_contained(all, other))
      return std::nullopt;
  auto known = llvm::find(sets_, all);
  if (known != sets_.end())
    return known - sets_.begin();
  joint.source = checksum(sources);
  joint.reason = "they go together";
  sets_.push_back(all);
  facts_.emplace_back();
  expected_.emplace_back();
  candidates_.push_back(std::move(joint));
  kernel.measured.candidates.push_back(all);
  return sets_.size() - 1;
}

llvm::Expected<loop::Diagnosed> TuningSubject::diagnose(std::optional<size_t> candidate) {
  if (bottlenecks_) {
    llvm::Expected<std::vector<Bottleneck>> found =
        bottlenecks_(tuning_, candidate ? sets_[*candidate] : UnitSet());
    if (!found || !found->empty())
      return found;
  }
  const std::vector<loop::StaticFacts> &facts = candidate ? facts_[*candidate] : before_;
  const Measurement *look = original_;
  if (candidate) {
    auto known = looks_.find(sets_[*candidate]);
    look = known == looks_.end() ? nullptr : &known->second;
  }
  if (!look || look->shapes.size() != facts.size())
    return loop::Diagnosed();
  std::vector<double> microseconds;
  for (const ShapeMeasurement &shape : look->shapes)
    microseconds.push_back(candidate ? shape.candidate.median : shape.original.median);
  const std::vector<Prediction> &predictions =
      candidate ? record_.candidates[tuning_.kernel().units[sets_[*candidate].front()].candidate].predictions
                : record_.before;
  const Prediction *prediction = predictionFor(predictions, architecture());
  return loop::diagnoseByTime(facts, microseconds, prediction && prediction->spillBytes > 0);
}

} // namespace warpwright
