#include "feedback/RankComparisons.h"

#include "feedback/CostModel.h"
#include "feedback/FirstLook.h"
#include "feedback/MeasuredRatios.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <numeric>

namespace warpwright {
namespace {

constexpr size_t fewestToRank = 3;

/// Ranks from 0, equal values sharing the mean of theirs.
std::vector<double> ranksOf(llvm::ArrayRef<double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t left, size_t right) { return values[left] < values[right]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin; end < order.size() && values[order[end]] == values[order[begin]];)
      ++end;
    for (size_t i = begin; i < end; ++i)
      ranks[order[i]] = double(begin + end - 1) / 2;
  }
  return ranks;
}

/// Everything that has a prediction and a time, the original first.
struct Ranked {
  std::vector<double> cost;
  std::vector<double> time;     ///< over the original's, whose own drifts from one measurement to the next
  std::vector<double> mainTime; ///< the same on the main shape
};

/// Its results held; that a first look left it out says nothing against its times.
bool isRight(const Measurement &measurement) {
  return measurement.verdict.kind == Verdict::Kind::Accepted || measurement.verdict.stage == firstLookStage;
}

class Ranking {
public:
  Ranking(const KernelRecord &record, const Architecture &architecture, const DeviceFigures &figures)
      : record_(record), architecture_(architecture), figures_(figures) {}

  Ranked on(const std::string &shape, const std::string &main) const {
    Ranked ranked;
    for (const Prediction &before : record_.before)
      if (before.architecture == architecture_.name)
        add(ranked, costOf(before, shape), 1, 1);
    for (const Measurement &measurement : record_.measurements) {
      const CandidateRecord *candidate = findCandidate(record_, measurement.candidate);
      const Prediction *prediction = candidate ? predictionFor(*candidate, architecture_.name) : nullptr;
      const ShapeMeasurement *here = find(measurement, shape), *there = find(measurement, main);
      if (prediction && here && there && isRight(measurement))
        add(ranked, costOf(*prediction, shape), here->ratio, there->ratio);
    }
    return ranked;
  }

private:
  static void add(Ranked &ranked, std::optional<double> cost, double time, double mainTime) {
    if (!cost)
      return;
    ranked.cost.push_back(*cost);
    ranked.time.push_back(time);
    ranked.mainTime.push_back(mainTime);
  }

  std::optional<double> costOf(const Prediction &prediction, const std::string &shape) const {
    for (size_t i = 0; i < prediction.shapes.size(); ++i)
      if (isSameShape(prediction.shapes[i].shape, shape))
        return estimatedCycles(architecture_, prediction, i, figures_);
    return std::nullopt;
  }

  const KernelRecord &record_;
  const Architecture &architecture_;
  const DeviceFigures &figures_;
};

void addComparison(std::vector<RankComparison> &comparisons, const char *what, const std::string &shape,
                   llvm::ArrayRef<double> by, llvm::ArrayRef<double> time) {
  if (time.size() < fewestToRank)
    return;
  RankComparison comparison;
  comparison.what = what;
  comparison.shape = shape;
  comparison.candidates = static_cast<unsigned>(time.size());
  comparison.correlation = rankCorrelation(by, time);
  size_t chosen = llvm::min_element(by) - by.begin();
  comparison.chosenOverBest = time[chosen] / *llvm::min_element(time);
  comparisons.push_back(std::move(comparison));
}

/// The first measurement that has times: all have the same shapes, in the same order.
const Measurement *firstTimed(const KernelRecord &record) {
  for (const Measurement &measurement : record.measurements)
    if (!measurement.shapes.empty() &&
        llvm::all_of(measurement.shapes, [](const auto &shape) { return shape.timed; }))
      return &measurement;
  return nullptr;
}

} // namespace

double rankCorrelation(llvm::ArrayRef<double> left, llvm::ArrayRef<double> right) {
  if (left.size() < 2 || left.size() != right.size())
    return 0;
  std::vector<double> x = ranksOf(left), y = ranksOf(right);
  double mean = double(x.size() - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

bool isSameShape(llvm::StringRef left, llvm::StringRef right) {
  auto partsOf = [](llvm::StringRef label) {
    llvm::SmallVector<llvm::StringRef> parts;
    label.split(parts, ", ");
    llvm::sort(parts);
    return parts;
  };
  return partsOf(left) == partsOf(right);
}

const CandidateRecord *findCandidate(const KernelRecord &record, llvm::StringRef name) {
  for (const CandidateRecord &candidate : record.candidates)
    if (candidate.candidate.name() == name)
      return &candidate;
  return nullptr;
}

const Prediction *predictionFor(const CandidateRecord &candidate, llvm::StringRef architecture) {
  for (const Prediction &prediction : candidate.predictions)
    if (prediction.architecture == architecture)
      return &prediction;
  return nullptr;
}

std::vector<RankComparison> compareRanks(const KernelRecord &record, llvm::StringRef name,
                                         const DeviceFigures &figures) {
  std::vector<RankComparison> comparisons;
  const Architecture *architecture = findArchitecture(name);
  const Measurement *first = firstTimed(record);
  if (!architecture || !first)
    return comparisons;
  const std::string &main = first->shapes.front().shape;
  const auto smallest = llvm::min_element(first->shapes, [](const auto &left, const auto &right) {
    return left.original.median < right.original.median;
  });
  Ranking ranking(record, *architecture, figures);
  for (const ShapeMeasurement &shape : first->shapes) {
    Ranked ranked = ranking.on(shape.shape, main);
    addComparison(comparisons, "model", shape.shape, ranked.cost, ranked.time);
    if (shape.shape != main && shape.shape == smallest->shape)
      addComparison(comparisons, "small shape", main, ranked.time, ranked.mainTime);
  }
  return comparisons;
}

} // namespace warpwright
