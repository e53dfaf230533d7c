#include "feedback/Prediction.h"

#include "analysis/KernelAnalysis.h"

#include <llvm/Support/FormatVariadic.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace warpwright {
namespace {

constexpr const char *stage = "dominance";

ShapePrediction predictShape(const LaunchEvaluation &evaluation) {
  using enum simt::AccessKind;
  const simt::LaunchCounters &counters = evaluation.counters;
  ShapePrediction prediction;
  prediction.shape = evaluation.label;
  for (simt::AccessKind kind : {Load, Store, Atomic}) {
    simt::AccessTally global = counters.total(kind, simt::AccessSpace::Global);
    simt::AccessTally shared = counters.total(kind, simt::AccessSpace::Shared);
    prediction.globalRequests += global.requests;
    prediction.globalSectors += global.sectors;
    prediction.sharedRequests += shared.requests;
    prediction.sharedWavefronts += shared.wavefronts;
    prediction.bankConflicts += shared.bankConflicts;
    if (kind == Atomic)
      prediction.atomicRounds = global.sameAddressLanes + shared.sameAddressLanes;
  }
  const auto &warp = counters.instructions.warp;
  prediction.warpInstructions = std::accumulate(warp.begin(), warp.end(), uint64_t(0));
  prediction.doubleInstructions = warp[static_cast<unsigned>(simt::InstructionClass::Float64)];
  prediction.specialInstructions = warp[static_cast<unsigned>(simt::InstructionClass::SpecialFunction)];
  prediction.barriers = warp[static_cast<unsigned>(simt::InstructionClass::Barrier)];
  const Launch &launch = evaluation.launch;
  prediction.blocks = launch.grid.count();
  prediction.warps =
      prediction.blocks * ((launch.block.count() + Architecture::warpSize - 1) / Architecture::warpSize);
  prediction.grade = simt::toString(counters.grade);
  return prediction;
}

/// Collects what is better and the first thing that is worse.
class Comparison {
public:
  /// Of a shape; `shape` is empty for the main one, whose numbers stand for those of the others.
  void count(const std::string &name, uint64_t before, uint64_t after, const std::string &shape = {}) {
    if (after == before)
      return;
    std::string where = shape.empty() ? "" : " (" + shape + ")";
    note(after < before, name, llvm::formatv("{0}{1} {2} -> {3}", name, where, before, after).str());
  }
  void occupancy(double before, double after) {
    if (after == before)
      return;
    note(after > before, "occupancy", llvm::formatv("occupancy {0:P0} -> {1:P0}", before, after).str());
  }

  bool changed() const { return !better_.empty() || !worse_.empty(); }
  bool isWorse() const { return !worse_.empty(); }

  Verdict verdict() const {
    if (!worse_.empty())
      return {Verdict::Kind::Declined, stage, "worse: " + worse_};
    if (better_.empty())
      return {Verdict::Kind::Declined, stage, "nothing that was counted is better"};
    std::string reason;
    for (const Better &better : better_) {
      reason += (reason.empty() ? "" : ", ") + better.text;
      if (better.others != 0)
        reason += " (fewer on " + std::to_string(better.others) + " other shape" +
                  (better.others > 1 ? "s" : "") + ", too)";
    }
    return {Verdict::Kind::Accepted, stage, reason};
  }

private:
  struct Better {
    std::string name;
    std::string text;    ///< of the first shape on which it is
    unsigned others = 0; ///< shapes on which it is as well
  };

  void note(bool better, const std::string &name, const std::string &text) {
    if (!better) {
      if (worse_.empty())
        worse_ = text;
      return;
    }
    auto known =
        std::find_if(better_.begin(), better_.end(), [&](const Better &other) { return other.name == name; });
    if (known == better_.end())
      better_.push_back({name, text});
    else
      ++known->others;
  }

  std::vector<Better> better_;
  std::string worse_;
};

void compareShapes(Comparison &comparison, const ShapePrediction &before, const ShapePrediction &after,
                   bool main) {
  std::string where = main ? "" : before.shape;
  comparison.count("global requests", before.globalRequests, after.globalRequests, where);
  comparison.count("sectors", before.globalSectors, after.globalSectors, where);
  comparison.count("shared wavefronts", before.sharedWavefronts, after.sharedWavefronts, where);
  comparison.count("double-precision instructions", before.doubleInstructions, after.doubleInstructions,
                   where);
  comparison.count("instructions", before.warpInstructions, after.warpInstructions, where);
}

Comparison compareCounts(const Prediction &before, const Prediction &after) {
  Comparison comparison;
  for (size_t i = 0; i < before.shapes.size(); ++i)
    compareShapes(comparison, before.shapes[i], after.shapes[i], i == 0);
  return comparison;
}

/// Registers as the hardware hands them out, a thread: what ptxas reports within one allocation unit costs
/// the same.
unsigned allocatedRegisters(unsigned registers) {
  constexpr unsigned unit = Architecture::registerUnit / Architecture::warpSize;
  return (registers + unit - 1) / unit * unit;
}

} // namespace

Prediction predict(const KernelAnalysis &analysis) {
  Prediction prediction;
  prediction.architecture = analysis.architecture;
  for (const LaunchEvaluation &evaluation : analysis.launches)
    prediction.shapes.push_back(predictShape(evaluation));
  if (!analysis.resources)
    return prediction;
  const KernelResources &resources = *analysis.resources;
  prediction.hasResources = true;
  prediction.registers = resources.registers;
  prediction.spillBytes = resources.local.spillStoreBytes + resources.local.spillLoadBytes;
  prediction.stackBytes = resources.cumulativeStackBytes.value_or(resources.local.stackBytes);
  prediction.sharedBytes = resources.staticSharedBytes;
  prediction.warnings = resources.warnings.size();
  prediction.machineInstructions = resources.instructions.value_or(0);
  prediction.occupancy = analysis.occupancy ? analysis.occupancy->occupancy : 0;
  return prediction;
}

Verdict judgeCounts(const Prediction &original, const Prediction &candidate) {
  if (original.shapes.empty())
    return {Verdict::Kind::Undecided, stage, "no launch is known, so nothing can be counted"};
  if (original.shapes.size() != candidate.shapes.size())
    return {Verdict::Kind::Undecided, stage, "the candidate could not be counted on every shape"};
  for (size_t i = 0; i < original.shapes.size(); ++i)
    if (original.shapes[i].grade == "unknown" || candidate.shapes[i].grade == "unknown")
      return {Verdict::Kind::Undecided, stage, "not every access could be counted"};
  Comparison comparison = compareCounts(original, candidate);
  return comparison.isWorse() ? comparison.verdict() : Verdict{Verdict::Kind::Accepted, stage, {}};
}

Verdict judgeDominance(const Prediction &original, const Prediction &candidate) {
  Verdict counted = judgeCounts(original, candidate);
  if (counted.kind != Verdict::Kind::Accepted)
    return counted;
  if (!original.hasResources || !candidate.hasResources)
    return {Verdict::Kind::Undecided, stage, "registers and spills are unknown"};
  Comparison comparison = compareCounts(original, candidate);
  // Where the device IR does the same work, longer code is what ptxas paid for fewer registers.
  if (!comparison.changed() && candidate.machineInstructions > original.machineInstructions)
    comparison.count("machine instructions", original.machineInstructions, candidate.machineInstructions);
  comparison.count("allocated registers", allocatedRegisters(original.registers),
                   allocatedRegisters(candidate.registers));
  comparison.count("spilled bytes", original.spillBytes, candidate.spillBytes);
  comparison.count("stack bytes", original.stackBytes, candidate.stackBytes);
  comparison.count("warnings", original.warnings, candidate.warnings);
  comparison.occupancy(original.occupancy, candidate.occupancy);
  return comparison.verdict();
}

nlohmann::ordered_json toJson(const Prediction &prediction) {
  nlohmann::ordered_json shapes = nlohmann::ordered_json::array();
  for (const ShapePrediction &shape : prediction.shapes)
    shapes.push_back({{"shape", shape.shape},
                      {"global_requests", shape.globalRequests},
                      {"global_sectors", shape.globalSectors},
                      {"shared_requests", shape.sharedRequests},
                      {"shared_wavefronts", shape.sharedWavefronts},
                      {"bank_conflicts", shape.bankConflicts},
                      {"warp_instructions", shape.warpInstructions},
                      {"double_instructions", shape.doubleInstructions},
                      {"special_instructions", shape.specialInstructions},
                      {"barriers", shape.barriers},
                      {"atomic_rounds", shape.atomicRounds},
                      {"blocks", shape.blocks},
                      {"warps", shape.warps},
                      {"grade", shape.grade}});
  nlohmann::ordered_json result = {{"architecture", prediction.architecture}, {"shapes", shapes}};
  if (prediction.hasResources)
    result["resources"] = {
        {"registers", prediction.registers},    {"spill_bytes", prediction.spillBytes},
        {"stack_bytes", prediction.stackBytes}, {"shared_bytes", prediction.sharedBytes},
        {"warnings", prediction.warnings},      {"machine_instructions", prediction.machineInstructions},
        {"occupancy", prediction.occupancy}};
  return result;
}

} // namespace warpwright
