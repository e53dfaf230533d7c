#include "analysis/simt/Sampler.h"

#include <algorithm>
#include <deque>
#include <map>

namespace warpwright::simt {
namespace {

constexpr unsigned dimensions = 4;
constexpr unsigned cornerCount = 1 << dimensions;

/// A box of units, both ends included.
struct Box {
  UnitIndex low;
  UnitIndex high;

  uint64_t extent(unsigned dimension) const { return high[dimension] - low[dimension] + 1; }
  uint64_t volume() const {
    uint64_t product = 1;
    for (unsigned d = 0; d < dimensions; ++d)
      product *= extent(d);
    return product;
  }
  UnitIndex corner(unsigned which) const {
    UnitIndex unit = low;
    for (unsigned d = 0; d < dimensions; ++d)
      if (which >> d & 1)
        unit[d] = high[d];
    return unit;
  }
  /// An inner unit, a little off the middle, so that it does not fall on the same phase as the corners in a
  /// power of two.
  UnitIndex middle() const {
    UnitIndex unit = low;
    for (unsigned d = 0; d < dimensions; ++d)
      unit[d] += extent(d) > 4 ? (extent(d) / 2 | 1) : extent(d) / 2;
    return unit;
  }
  /// The lowest unit, moved to the middle along one dimension.
  UnitIndex middleOfEdge(unsigned dimension) const {
    UnitIndex unit = low;
    unit[dimension] = middle()[dimension];
    return unit;
  }
};

/// A tally of one unit without what it did not run: units are many, and a large kernel has thousands of sites
/// of which a warp that a guard sends home reaches none. Its size is bounded by the unit's steps.
struct Sample {
  std::vector<std::pair<uint32_t, AccessTally>> sites;
  std::vector<std::pair<uint32_t, BranchTally>> branches;
  InstructionTally instructions;
  uint64_t steps = 0;

  Sample() = default;
  explicit Sample(const Tally &tally)
      : sites(occupied(tally.sites)), branches(occupied(tally.branches)), instructions(tally.instructions),
        steps(tally.steps) {}
  /// As Tally: branches are left out.
  bool operator==(const Sample &other) const {
    return sites == other.sites && instructions == other.instructions && steps == other.steps;
  }

private:
  template <typename Entry>
  static std::vector<std::pair<uint32_t, Entry>> occupied(const std::vector<Entry> &all) {
    std::vector<std::pair<uint32_t, Entry>> result;
    for (size_t i = 0; i < all.size(); ++i)
      if (!(all[i] == Entry()))
        result.emplace_back(static_cast<uint32_t>(i), all[i]);
    return result;
  }
};

void addTimes(InstructionTally &sum, const InstructionTally &tally, uint64_t times) {
  for (unsigned i = 0; i < instructionClasses; ++i) {
    sum.warp[i] += tally.warp[i] * times;
    sum.thread[i] += tally.thread[i] * times;
  }
}

class Sampler {
public:
  Sampler(uint64_t stepBudget, const std::function<Tally(const UnitIndex &)> &runUnit)
      : stepBudget_(stepBudget), runUnit_(runUnit) {}

  Estimate run(const UnitIndex &extents) {
    Box all{{0, 0, 0, 0}, extents};
    for (uint64_t &last : all.high)
      --last;
    estimate_.complete = true;
    if (agrees(all))
      addBox(all);
    else
      trimEnds(all, 0);
    while (!work_.empty()) {
      Box box = work_.front();
      work_.pop_front();
      visit(box);
    }
    estimate_.unitsRun = known_.size();
    estimate_.tally.steps = steps_;
    return std::move(estimate_);
  }

private:
  /// The number of the unit's sample in `samples_`: equal ones have equal numbers.
  size_t at(const UnitIndex &unit) {
    auto [found, isNew] = known_.try_emplace(unit, 0);
    if (!isNew)
      return found->second;
    Tally tally = runUnit_(unit);
    estimate_.tally.sites.resize(tally.sites.size());
    estimate_.tally.branches.resize(tally.branches.size());
    steps_ += tally.steps;
    // Looking through a tally, and for one like it, takes time, too, however little ran.
    constexpr uint64_t looksPerStep = 64;
    spent_ += tally.steps + (tally.sites.size() + samples_.size()) / looksPerStep;
    Sample sample(tally);
    auto equal = std::find(samples_.begin(), samples_.end(), sample);
    found->second = equal - samples_.begin();
    if (equal == samples_.end())
      samples_.push_back(std::move(sample));
    return found->second;
  }

  void addSample(const Sample &sample, uint64_t times) {
    Tally &sum = estimate_.tally;
    for (const auto &[site, tally] : sample.sites)
      sum.sites[site] += tally * times;
    for (const auto &[branch, tally] : sample.branches)
      sum.branches[branch] += tally * times;
    addTimes(sum.instructions, sample.instructions, times);
  }

  bool agrees(const Box &box) {
    size_t first = at(box.low);
    for (unsigned which = 1; which < cornerCount; ++which)
      if (at(box.corner(which)) != first)
        return false;
    for (unsigned d = 0; d < dimensions; ++d)
      if (at(box.middleOfEdge(d)) != first)
        return false;
    return at(box.middle()) == first;
  }

  void addBox(const Box &box) { addSample(samples_[at(box.low)], box.volume()); }

  /// Cuts the first and last unit of every long dimension off: one box for each combination.
  void trimEnds(const Box &box, unsigned dimension) {
    if (dimension == dimensions) {
      work_.push_back(box);
      return;
    }
    if (box.extent(dimension) < 4)
      return trimEnds(box, dimension + 1);
    Box part = box;
    part.high[dimension] = part.low[dimension];
    trimEnds(part, dimension + 1);
    part = box;
    ++part.low[dimension];
    --part.high[dimension];
    trimEnds(part, dimension + 1);
    part = box;
    part.low[dimension] = part.high[dimension];
    trimEnds(part, dimension + 1);
  }

  void visit(const Box &box) {
    if (spent_ >= stepBudget_)
      return addMean(box);
    if (agrees(box))
      return addBox(box);
    unsigned dimension = cutDimension(box);
    if (box.extent(dimension) == 1)
      return addBox(box);
    Box lower = box;
    Box upper = box;
    lower.high[dimension] = box.low[dimension] + (box.extent(dimension) - 1) / 2;
    upper.low[dimension] = lower.high[dimension] + 1;
    work_.push_back(lower);
    work_.push_back(upper);
  }

  /// The longest dimension along which corners differ, else along which the middle of an edge does; the
  /// longest at all where only the middle of the box differs.
  unsigned cutDimension(const Box &box) {
    unsigned best = 0;
    std::pair<unsigned, uint64_t> bestRank;
    for (unsigned d = 0; d < dimensions; ++d) {
      unsigned reason = at(box.middleOfEdge(d)) != at(box.low);
      for (unsigned which = 0; which < cornerCount; ++which)
        if (at(box.corner(which)) != at(box.corner(which ^ (1u << d))))
          reason = 2;
      std::pair<unsigned, uint64_t> rank(reason, box.extent(d));
      if (rank > bestRank) {
        best = d;
        bestRank = rank;
      }
    }
    return best;
  }

  void addMean(const Box &box) {
    std::map<UnitIndex, size_t> corners;
    for (unsigned which = 0; which < cornerCount; ++which)
      if (auto found = known_.find(box.corner(which)); found != known_.end())
        corners.insert(*found);
    estimate_.complete = false;
    if (corners.empty())
      corners[box.low] = at(box.low);
    uint64_t volume = box.volume();
    uint64_t share = volume / corners.size();
    uint64_t rest = volume % corners.size();
    for (const auto &[unit, sample] : corners)
      addSample(samples_[sample], share + (rest ? rest-- > 0 : 0));
  }

  uint64_t stepBudget_;
  const std::function<Tally(const UnitIndex &)> &runUnit_;
  std::map<UnitIndex, size_t> known_;
  std::vector<Sample> samples_; ///< distinct ones, which are few
  std::deque<Box> work_;
  Estimate estimate_;
  uint64_t steps_ = 0;
  uint64_t spent_ = 0; ///< of the budget
};

} // namespace

Estimate estimateBySampling(const UnitIndex &extents, uint64_t stepBudget,
                            const std::function<Tally(const UnitIndex &)> &runUnit) {
  return Sampler(stepBudget, runUnit).run(extents);
}

} // namespace warpwright::simt
