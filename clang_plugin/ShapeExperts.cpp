#include "clang_plugin/ShapeExperts.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>

namespace warpwright {
namespace {

constexpr size_t placesOfARound = 2;
/// What a shape's best must be expected to gain to be worth a look: less is within what the model knows.
constexpr double worthALook = 0.95;

/// The fastest so far, the original among them.
double measuredBest(const TuningSubject &subject, const loop::LoopView &view, size_t shape) {
  double best = 1;
  for (const auto &[candidate, ratio] : view.ratios)
    if (const Measurement *look = subject.lookOf(candidate); look && shape < look->shapes.size())
      best = std::min(best, look->shapes[shape].ratio);
  return best;
}

/// By how much times on the shape differ from what the model says, on what was measured with the structure.
double correction(const TuningSubject &subject, const loop::LoopView &view, size_t shape,
                  const std::string &structure) {
  double sum = 0;
  unsigned count = 0;
  for (const auto &[candidate, ratio] : view.ratios) {
    const Measurement *look = subject.lookOf(candidate);
    llvm::ArrayRef<double> expected = subject.expected(candidate);
    if (!look || subject.candidates()[candidate].structure != structure || shape >= expected.size() ||
        shape >= look->shapes.size())
      continue;
    sum += std::log(look->shapes[shape].ratio / expected[shape]);
    ++count;
  }
  return count == 0 ? 1 : std::exp(sum / count);
}

} // namespace

std::vector<loop::Proposal> ShapeExperts::propose(const loop::LoopView &view, size_t most) {
  std::vector<loop::Proposal> proposals;
  if (!subject_.mayDispatch() || view.ratios.empty())
    return proposals;
  for (size_t shape = 0;; ++shape) {
    const double known = measuredBest(subject_, view, shape);
    std::map<std::string, double> corrections;
    std::optional<size_t> best;
    double least = known * worthALook;
    bool isShape = false;
    for (size_t i = 0; i < view.open.size(); ++i) {
      llvm::ArrayRef<double> expected = subject_.expected(i);
      isShape |= shape < expected.size();
      if (!view.open[i] || shape >= expected.size())
        continue;
      const std::string &structure = subject_.candidates()[i].structure;
      auto [corrected, isNew] = corrections.try_emplace(structure, 1);
      if (isNew)
        corrected->second = correction(subject_, view, shape, structure);
      const double ratio = expected[shape] * corrected->second;
      if (ratio < least) {
        least = ratio;
        best = i;
      }
    }
    if (!isShape)
      break;
    auto isTaken = [&](const loop::Proposal &other) { return other.candidate == *best; };
    if (best && llvm::none_of(proposals, isTaken))
      proposals.push_back(
          {*best, "shape expert",
           loop::strategiesBetween(loop::LoopCandidate(), subject_.candidates()[*best]),
           "it promises most on shape " + std::to_string(shape + 1) + ", where it can be launched alone",
           std::log(known / least), false});
  }
  llvm::sort(proposals, [](const loop::Proposal &left, const loop::Proposal &right) {
    return std::make_pair(-left.expected, left.candidate) < std::make_pair(-right.expected, right.candidate);
  });
  if (proposals.size() > std::min(most, placesOfARound))
    proposals.resize(std::min(most, placesOfARound));
  return proposals;
}

} // namespace warpwright
