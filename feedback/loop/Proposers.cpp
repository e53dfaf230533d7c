#include "feedback/loop/Proposer.h"
#include "feedback/loop/Surrogate.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cmath>
#include <set>

namespace warpwright::loop {

Proposer::~Proposer() = default;

namespace {

// Of the tuner's score, which is a logarithm of a ratio: what feedback and weights are worth. Found on the
// recorded spaces of gemm and the reduction alone (docs/architecture/loop.md).
constexpr double reliefShare = 0.05;
constexpr double weightShare = 0.1;
constexpr double boldness = 0.5; ///< deviations of the surrogate that a guess is given

std::string roleOf(const LoopView &view) {
  if (view.bottlenecks.empty())
    return "resource expert";
  switch (groupOf(view.bottlenecks.front())) {
  case BottleneckGroup::Memory:
    return "memory expert";
  case BottleneckGroup::Compute:
    return "compute expert";
  case BottleneckGroup::Overhead:
  case BottleneckGroup::Parallelism:
    return "resource expert";
  }
  return "resource expert";
}

StaticFacts bestFacts(const LoopView &view) {
  return view.best ? view.subject.candidates()[*view.best].facts : view.subject.originalFacts();
}

/// What feedback says of a change, the primary bottleneck twice as loud as the secondary.
double feedbackFor(const LoopView &view, const LoopCandidate &candidate) {
  double sum = 0, loud = 1;
  const StaticFacts before = bestFacts(view);
  for (Bottleneck bottleneck : llvm::ArrayRef(view.bottlenecks).take_front(2)) {
    sum += loud * relief(bottleneck, before, candidate.facts);
    loud /= 2;
  }
  return sum;
}

/// Draws of this round, one an arm, so that candidates of one arm are ranked by what else is known of them.
class Draws {
public:
  explicit Draws(const LoopView &view) : view_(view) {}
  /// -1..1; 0 where weights are switched off.
  double of(const std::vector<std::string> &strategies) {
    if (!view_.weights || strategies.empty())
      return 0;
    double sum = 0;
    for (const std::string &strategy : strategies) {
      auto [draw, isNew] = drawn_.try_emplace(strategy, 0);
      if (isNew)
        draw->second = view_.weights->draw(strategy, labelOf(view_.bottlenecks), view_.subject.architecture(),
                                           view_.exploration, view_.random);
      sum += 2 * draw->second - 1;
    }
    return sum / double(strategies.size());
  }

private:
  const LoopView &view_;
  std::map<std::string, double> drawn_;
};

class StructureExperts : public Proposer {
public:
  bool isStructural() const override { return true; }

  std::vector<Proposal> propose(const LoopView &view, size_t most) override {
    Draws draws(view);
    std::map<std::string, Proposal> best; // of each structure that is not held
    for (size_t i = 0; i < view.open.size(); ++i) {
      const LoopCandidate &candidate = view.subject.candidates()[i];
      if (!view.open[i] || candidate.structure == view.structure)
        continue;
      double expected = scoreOf(view, candidate);
      auto [known, isNew] = best.try_emplace(candidate.structure);
      if (isNew || expected > known->second.expected)
        known->second = {i, roleOf(view), {}, candidate.reason, expected, true};
    }
    std::vector<Proposal> proposals;
    for (auto &[structure, proposal] : best) {
      const LoopCandidate &candidate = view.subject.candidates()[proposal.candidate];
      proposal.strategies = strategiesBetween(LoopCandidate(), candidate);
      proposal.expected += weightShare * draws.of(proposal.strategies);
      if (proposal.reason.empty())
        proposal.reason =
            "the structure that promises most " +
            (view.bottlenecks.empty() ? std::string("by the model") : "against " + labelOf(view.bottlenecks));
      proposals.push_back(std::move(proposal));
    }
    llvm::sort(proposals, [](auto &a, auto &b) {
      return std::make_pair(-a.expected, a.candidate) < std::make_pair(-b.expected, b.candidate);
    });
    if (proposals.size() > most)
      proposals.resize(most);
    return proposals;
  }

private:
  static double scoreOf(const LoopView &view, const LoopCandidate &candidate) {
    double model = candidate.predicted > 0 ? -std::log(candidate.predicted) : 0;
    return model + reliefShare * feedbackFor(view, candidate);
  }
};

/// Parameters as numbers of 0..1, each by its place among the values that it takes, and the facts as
/// logarithms.
class Features {
public:
  Features(const LoopView &view, llvm::ArrayRef<size_t> points) {
    std::map<std::string, std::set<int64_t>> values;
    for (size_t i : points)
      for (const auto &[name, value] : view.subject.candidates()[i].parameters)
        values[name].insert(value);
    for (const auto &[name, found] : values)
      if (found.size() > 1)
        order_[name].assign(found.begin(), found.end());
  }

  std::vector<double> of(const LoopCandidate &candidate) const {
    std::vector<double> features;
    for (const auto &[name, values] : order_) {
      auto found = candidate.parameters.find(name);
      int64_t value = found == candidate.parameters.end() ? values.front() : found->second;
      features.push_back(double(llvm::lower_bound(values, value) - values.begin()) /
                         double(values.size() - 1));
    }
    features.push_back(candidate.predicted > 0 ? std::log(candidate.predicted) / 2 : 0);
    for (double fact : {candidate.facts.threads, candidate.facts.blocks, candidate.facts.registers})
      features.push_back(fact > 0 ? std::log2(fact) / 8 : 0);
    return features;
  }

private:
  std::map<std::string, std::vector<int64_t>> order_;
};

class ParameterTuner : public Proposer {
public:
  bool isStructural() const override { return false; }

  std::vector<Proposal> propose(const LoopView &view, size_t most) override {
    std::vector<size_t> points;
    for (size_t i = 0; i < view.open.size(); ++i)
      if (view.subject.candidates()[i].structure == view.structure)
        points.push_back(i);
    Features features(view, points);
    std::vector<std::vector<double>> known;
    std::vector<double> values;
    for (const auto &[candidate, ratio] : view.ratios)
      if (llvm::is_contained(points, candidate)) {
        known.push_back(features.of(view.subject.candidates()[candidate]));
        values.push_back(std::log(ratio));
      }
    llvm::erase_if(points, [&](size_t i) { return !view.open[i]; });
    if (points.empty() || known.empty())
      return {};
    const Trend trend = trendOf(view, known, values);
    for (auto [value, model] : llvm::zip(values, trend.known))
      value -= trend.slope * model;
    Draws draws(view);
    std::vector<double> bonus; // weights and feedback, which do not change within the round
    for (size_t i : points)
      bonus.push_back(bonusOf(view, draws, view.subject.candidates()[i]));
    std::vector<Proposal> proposals;
    while (proposals.size() < std::min(most, points.size())) {
      Surrogate surrogate(known, values);
      size_t best = points.size();
      double bestScore = -1e9, bestMean = 0;
      for (size_t p = 0; p < points.size(); ++p) {
        if (llvm::any_of(proposals, [&](const Proposal &other) { return other.candidate == points[p]; }))
          continue;
        Surrogate::Guess guess = surrogate.guess(features.of(view.subject.candidates()[points[p]]));
        guess.mean += trend.slope * modelOf(view.subject.candidates()[points[p]]);
        // What is believed beforehand gives way to what was measured nearby.
        double unsure = guess.deviation / std::sqrt(Surrogate::variance);
        double score =
            -guess.mean + boldness * std::sqrt(view.exploration) * guess.deviation + unsure * bonus[p];
        if (score > bestScore) {
          bestScore = score;
          best = p;
          bestMean = guess.mean;
        }
      }
      if (best == points.size())
        break;
      const LoopCandidate &candidate = view.subject.candidates()[points[best]];
      proposals.push_back({points[best], "tuner", strategiesFrom(view, candidate), reasonFor(view, candidate),
                           std::log(view.bestRatio) - bestMean, false});
      // What was guessed is believed until it is measured, so that the round does not ask one thing five
      // times.
      known.push_back(features.of(candidate));
      values.push_back(bestMean - trend.slope * modelOf(candidate));
    }
    return proposals;
  }

private:
  /// How far times follow the model: the surrogate learns what is left.
  struct Trend {
    double slope = 0;
    std::vector<double> known; ///< the model's logarithms of what was measured
  };

  static double modelOf(const LoopCandidate &candidate) {
    return candidate.predicted > 0 ? std::log(candidate.predicted) : 0;
  }

  /// The likeliest of a few slopes; with few points, that times are as the model says.
  static Trend trendOf(const LoopView &view, const std::vector<std::vector<double>> &known,
                       const std::vector<double> &values) {
    Trend best;
    for (const auto &[candidate, ratio] : view.ratios)
      if (view.subject.candidates()[candidate].structure == view.structure)
        best.known.push_back(modelOf(view.subject.candidates()[candidate]));
    double highest = -1e300;
    for (double slope : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      std::vector<double> rest = values;
      for (auto [value, model] : llvm::zip(rest, best.known))
        value -= slope * model;
      double likelihood = Surrogate(known, rest).likelihood() - 2 * (1 - slope) * (1 - slope);
      if (likelihood > highest) {
        highest = likelihood;
        best.slope = slope;
      }
    }
    return best;
  }

  static std::vector<std::string> strategiesFrom(const LoopView &view, const LoopCandidate &candidate) {
    return view.best ? strategiesBetween(view.subject.candidates()[*view.best], candidate)
                     : strategiesBetween(LoopCandidate(), candidate);
  }

  static double bonusOf(const LoopView &view, Draws &draws, const LoopCandidate &candidate) {
    return reliefShare * feedbackFor(view, candidate) +
           weightShare * draws.of(strategiesFrom(view, candidate));
  }

  static std::string reasonFor(const LoopView &view, const LoopCandidate &candidate) {
    std::string moves = llvm::join(strategiesFrom(view, candidate), ", ");
    std::string against = labelOf(view.bottlenecks);
    return (moves.empty() ? "another point" : moves) + (against.empty() ? "" : " against " + against);
  }
};

} // namespace

std::unique_ptr<Proposer> structureExperts() {
  return std::make_unique<StructureExperts>();
}

std::unique_ptr<Proposer> parameterTuner() {
  return std::make_unique<ParameterTuner>();
}

} // namespace warpwright::loop
