#include "feedback/FirstLook.h"

#include "feedback/MeasuredRatios.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <set>

namespace warpwright {
namespace {

constexpr double clearGain = 0.97; ///< a ratio that few runs can tell from 1
/// Times the best mean: what looks as much worse is not the best, however few runs a look has.
constexpr double nearTheBest = 1.15;

bool isTimed(const Measurement &look) {
  return !look.shapes.empty() &&
         llvm::all_of(look.shapes, [](const ShapeMeasurement &shape) { return shape.timed; });
}

} // namespace

std::vector<UnitSet> worthMeasuring(const std::vector<UnitSet> &candidates,
                                    const std::map<UnitSet, Measurement> &looks, size_t most) {
  std::set<UnitSet> kept;
  std::vector<std::pair<double, size_t>> ranked; // by ratio, then by proposal
  std::map<std::string, std::pair<double, UnitSet>> leaders;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const UnitSet &set = candidates[i];
    auto found = looks.find(set);
    if (found == looks.end() || found->second.verdict.kind == Verdict::Kind::Declined)
      continue;
    const Measurement &look = found->second;
    if (!isTimed(look)) {
      kept.insert(set);
      continue;
    }
    ranked.emplace_back(meanRatio(look), i);
    for (const ShapeMeasurement &shape : look.shapes) {
      auto [leader, isFirst] = leaders.try_emplace(shape.shape, shape.ratio, set);
      if (!isFirst && shape.ratio < leader->second.first)
        leader->second = {shape.ratio, set};
    }
  }
  llvm::sort(ranked);
  for (const auto &[ratio, i] : llvm::ArrayRef(ranked).take_front(most))
    if (ratio <= ranked.front().first * nearTheBest)
      kept.insert(candidates[i]);
  for (const auto &[shape, leader] : leaders)
    if (leader.first < clearGain)
      kept.insert(leader.second);
  std::vector<UnitSet> ordered;
  llvm::copy_if(candidates, std::back_inserter(ordered),
                [&](const UnitSet &set) { return kept.count(set) != 0; });
  return ordered;
}

std::string describeLook(const Measurement &look) {
  return llvm::formatv("{0:F2} times the original's time on a first look", meanRatio(look));
}

} // namespace warpwright
