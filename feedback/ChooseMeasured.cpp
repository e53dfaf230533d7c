#include "feedback/ChooseMeasured.h"

#include "feedback/DispatchGuard.h"
#include "feedback/MeasuredRatios.h"
#include "feedback/VariantChain.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace warpwright {
namespace {

std::vector<std::string> shapesThat(const Measurement &measurement, TimeComparison comparison) {
  std::vector<std::string> names;
  for (const ShapeMeasurement &shape : measurement.shapes)
    if (shape.timed && shape.comparison == comparison)
      names.push_back(shape.shape);
  return names;
}

bool isAccepted(const Measurement *measurement) {
  return measurement && judgeMeasurement(*measurement).kind == Verdict::Kind::Accepted;
}

/// Shapes on which it is slower, or may be.
std::vector<std::string> losingShapes(const Measurement &measurement) {
  std::vector<std::string> names;
  for (const ShapeMeasurement &shape : measurement.shapes)
    if (shape.timed && (shape.comparison == TimeComparison::Slower || mayBeSlower(shape)))
      names.push_back(shape.shape);
  return names;
}

/// Right, and faster here and slower there, or perhaps slower.
bool isMixed(const Measurement *measurement) {
  return measurement && measurement->verdict.kind == Verdict::Kind::Accepted &&
         llvm::all_of(measurement->shapes, [](const ShapeMeasurement &shape) { return shape.timed; }) &&
         !shapesThat(*measurement, TimeComparison::Faster).empty() && !losingShapes(*measurement).empty();
}

/// Both were measured beside the same original, so that their ratios can be compared. Whether some shape of
/// `one` is below that of `other` by more than the margin.
bool isFasterSomewhere(const Measurement &one, const Measurement &other) {
  return llvm::any_of(one.shapes, [&](const ShapeMeasurement &shape) {
    const ShapeMeasurement *beside = find(other, shape.shape);
    return shape.timed && beside && shape.ratio < beside->ratio * (1 - marginOf(shape));
  });
}

UnitSet unite(const UnitSet &left, const UnitSet &right) {
  UnitSet set;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(set));
  return set;
}

UnitSet without(const UnitSet &set, unsigned unit) {
  UnitSet rest = set;
  llvm::erase(rest, unit);
  return rest;
}

bool goTogether(const MeasuredCase &measured, const UnitSet &left, const UnitSet &right) {
  return llvm::none_of(measured.conflicts, [&](const auto &conflict) {
    return (llvm::is_contained(left, conflict.first) && llvm::is_contained(right, conflict.second)) ||
           (llvm::is_contained(left, conflict.second) && llvm::is_contained(right, conflict.first));
  });
}

class Chooser {
public:
  explicit Chooser(const MeasuredCase &measured) : measured_(measured) {}

  MeasuredChoice choose() {
    for (const UnitSet &set : measured_.candidates)
      take(set);
    endLevel();
    ablateByShape();
    rank();
    choice_.set = smallestOfTheBest();
    combine();
    ablate();
    offerConditions();
    if (choice_.needed.empty())
      dispatch();
    if (choice_.needed.empty() && choice_.neededGuarded.empty() && !choice_.set.empty())
      extend();
    choice_.reason = reason();
    if (guarded_)
      choice_.underGuard = *guarded_;
    return std::move(choice_);
  }

private:
  const Measurement *known(const UnitSet &set) const {
    auto found = measured_.measured.find(set);
    return found == measured_.measured.end() ? nullptr : &found->second;
  }

  /// What was measured of the set, or null; then it is needed, unless what was needed before decides whether
  /// it is.
  const Measurement *look(const UnitSet &set) {
    const Measurement *found = known(set);
    if (!found && !closed_ && !llvm::is_contained(choice_.needed, set))
      choice_.needed.push_back(set);
    return found;
  }
  void endLevel() { closed_ = closed_ || !choice_.needed.empty(); }

  void take(const UnitSet &set) {
    const Measurement *found = look(set);
    if (isAccepted(found) && !llvm::is_contained(pool_, set))
      pool_.push_back(set);
  }

  /// A candidate that loses somewhere may owe that to one of its units.
  void ablateByShape() {
    for (const UnitSet &set : measured_.candidates)
      if (const Measurement *found = known(set);
          set.size() > 1 && isMixed(found) && !shapesThat(*found, TimeComparison::Slower).empty())
        for (unsigned unit : set)
          take(without(set, unit));
    endLevel();
  }

  void rank() {
    llvm::sort(pool_, [&](const UnitSet &left, const UnitSet &right) {
      double leftRatio = meanRatio(*known(left)), rightRatio = meanRatio(*known(right));
      return std::forward_as_tuple(leftRatio, left.size(), left) <
             std::forward_as_tuple(rightRatio, right.size(), right);
    });
  }

  /// Between equals the smaller change wins, and the one that was proposed first: noise is no reason.
  UnitSet smallestOfTheBest() const {
    if (pool_.empty())
      return {};
    const Measurement &best = *known(pool_.front());
    UnitSet smallest = pool_.front();
    for (const UnitSet &set : pool_)
      if (std::forward_as_tuple(set.size(), set) < std::forward_as_tuple(smallest.size(), smallest) &&
          !isFasterSomewhere(best, *known(set)))
        smallest = set;
    return smallest;
  }

  void combine() {
    for (const UnitSet &other : pool_) {
      if (!goTogether(measured_, choice_.set, other))
        continue;
      UnitSet both = unite(choice_.set, other);
      if (both == choice_.set)
        continue;
      const Measurement *found = look(both);
      endLevel();
      const Measurement &current = *known(choice_.set);
      if (isAccepted(found) && isFasterSomewhere(*found, current) && !isFasterSomewhere(current, *found))
        choice_.set = std::move(both);
    }
  }

  void ablate() {
    while (choice_.set.size() > 1) {
      const Measurement &current = *known(choice_.set);
      const UnitSet before = choice_.set;
      double best = 0;
      for (unsigned unit : before) {
        UnitSet rest = without(before, unit);
        const Measurement *found = look(rest);
        if (!isAccepted(found) || isFasterSomewhere(current, *found))
          continue;
        double ratio = meanRatio(*found);
        if (choice_.set != before && ratio >= best)
          continue;
        best = ratio;
        choice_.set = std::move(rest);
      }
      endLevel();
      if (choice_.set == before)
        return;
    }
  }

  void offerConditions() {
    const Measurement *chosen = choice_.set.empty() ? nullptr : known(choice_.set);
    for (const auto &[set, measurement] : measured_.measured) {
      if (!isMixed(&measurement) || (chosen && !isFasterSomewhere(measurement, *chosen)))
        continue;
      choice_.conditional.push_back(offerOf(set, measurement));
    }
    llvm::sort(choice_.conditional, [&](const ConditionalOffer &left, const ConditionalOffer &right) {
      double leftRatio = meanRatio(*known(left.set)), rightRatio = meanRatio(*known(right.set));
      return std::tie(leftRatio, left.set) < std::tie(rightRatio, right.set);
    });
  }

  ConditionalOffer offerOf(const UnitSet &set, const Measurement &measurement) const {
    ConditionalOffer offer;
    offer.set = set;
    offer.faster = shapesThat(measurement, TimeComparison::Faster);
    offer.slower = losingShapes(measurement);
    const DispatchMeans &means = measured_.dispatch;
    offer.whyNot = means.whyNot;
    for (unsigned unit : set)
      if (auto fixed = means.fixed.find(unit); offer.whyNot.empty() && fixed != means.fixed.end())
        offer.whyNot = fixed->second;
    auto valuesOn = [&](const std::vector<std::string> &shapes) {
      std::vector<ScalarValues> values;
      for (const std::string &shape : shapes)
        if (auto found = means.scalars.find(shape); found != means.scalars.end())
          values.push_back(found->second);
      if (values.size() != shapes.size())
        values.clear(); // what cannot be said of one shape separates none
      return values;
    };
    if (std::optional<ScalarExpression> guard =
            separatingGuard(valuesOn(offer.faster), valuesOn(offer.slower)))
      offer.guard = guard->str();
    else if (offer.whyNot.empty())
      offer.whyNot = "no simple condition on the shapes' integers separates them";
    return offer;
  }

  /// What is known of an offer under its guard; null where it has to be measured so first.
  const Measurement *lookGuarded(const ConditionalOffer &offer) {
    GuardedSet guarded{offer.set, offer.guard};
    const DispatchMeans &means = measured_.dispatch;
    if (auto found = means.asAWhole.find(guarded); found != means.asAWhole.end())
      return &found->second;
    if (means.measured) {
      choice_.neededGuarded.push_back(std::move(guarded));
      return nullptr;
    }
    return &supposed_.at(guarded);
  }

  /// Takes the offer that is the fastest over the family under its guard, if it beats the choice so far.
  void dispatch() {
    std::vector<ConditionalOffer *> offers;
    for (ConditionalOffer &offer : choice_.conditional) {
      if (!offer.whyNot.empty())
        continue;
      llvm::Expected<ScalarExpression> guard = ScalarExpression::parse(offer.guard);
      if (!guard) {
        llvm::consumeError(guard.takeError());
        continue;
      }
      supposed_[{offer.set, offer.guard}] = underGuard(*known(offer.set), measured_.dispatch, *guard);
      offers.push_back(&offer);
    }
    auto ratioOf = [&](const ConditionalOffer *offer) {
      return meanRatio(supposed_.at({offer->set, offer->guard}));
    };
    llvm::sort(offers, [&](const ConditionalOffer *left, const ConditionalOffer *right) {
      return std::make_tuple(ratioOf(left), left->set.size(), left->set) <
             std::make_tuple(ratioOf(right), right->set.size(), right->set);
    });
    preferSmaller(offers);
    const double current = choice_.set.empty() ? 1 : meanRatio(*known(choice_.set));
    for (ConditionalOffer *offer : offers) {
      if (ratioOf(offer) >= current * (1 - smallestMargin))
        return;
      const Measurement *found = lookGuarded(*offer);
      if (!found)
        return;
      const Measurement &inside =
          outsides_.emplace_back(withoutNoiseOutside(*found, measured_.dispatch, offer->guard));
      if (isAccepted(&inside) && meanRatio(inside) < current * (1 - smallestMargin)) {
        choice_.set = offer->set;
        choice_.guard = offer->guard;
        guarded_ = &inside;
        return;
      }
      offer->whyNot = "measured under the guard: " + judgeMeasurement(inside).reason;
    }
  }

  /// Puts variants before the choice that are better on some shapes.
  void extend() {
    VariantChain chain(measured_, {choice_.set, choice_.guard}, guarded_ ? *guarded_ : *known(choice_.set));
    chain.extend(choice_.neededGuarded);
    if (chain.before().empty())
      return;
    choice_.before = chain.before();
    choice_.guard = chain.last().guard;
    whole_ = chain.whole();
    guarded_ = &*whole_;
  }

  /// Between equals the smaller change goes first: noise is no reason.
  void preferSmaller(std::vector<ConditionalOffer *> &offers) const {
    if (offers.empty())
      return;
    auto times = [&](const ConditionalOffer *offer) -> const Measurement & {
      return supposed_.at({offer->set, offer->guard});
    };
    const Measurement &best = times(offers.front());
    size_t smallest = 0;
    for (size_t i = 1; i < offers.size(); ++i)
      if (std::make_tuple(offers[i]->set.size(), offers[i]->set) <
              std::make_tuple(offers[smallest]->set.size(), offers[smallest]->set) &&
          !isFasterSomewhere(best, times(offers[i])))
        smallest = i;
    std::rotate(offers.begin(), offers.begin() + smallest, offers.begin() + smallest + 1);
  }

  std::string guardedReason() const {
    std::vector<std::string> guards;
    for (const GuardedSet &variant : choice_.before)
      guards.push_back(variant.guard);
    guards.push_back(choice_.guard);
    std::vector<std::vector<std::string>> shapes(guards.size() + 1);
    for (const ShapeMeasurement &shape : guarded_->shapes) {
      size_t at = 0;
      while (at < guards.size() && !holdsOn(guards[at], measured_.dispatch, shape.shape))
        ++at;
      shapes[at].push_back(shape.shape);
    }
    std::string text = judgeMeasurement(*guarded_).reason + "; launched ";
    for (size_t i = 0; i < guards.size(); ++i)
      text += (i == 0 ? "" : "; then ") + (guards[i] == "1" ? "everywhere else" : "where " + guards[i]) +
              " (" + llvm::join(shapes[i], "; ") + ")";
    if (guards.back() == "1")
      return text;
    return text + ", the original elsewhere (" + llvm::join(shapes.back(), "; ") + ")";
  }

  std::string reason() const {
    if (guarded_)
      return guardedReason();
    if (!choice_.set.empty())
      return judgeMeasurement(*known(choice_.set)).reason;
    if (measured_.candidates.empty())
      return "nothing was proposed to be measured";
    std::string undecided;
    for (const UnitSet &set : measured_.candidates)
      if (const Measurement *found = known(set))
        if (Verdict verdict = judgeMeasurement(*found); verdict.kind == Verdict::Kind::Undecided)
          undecided = verdict.reason;
    if (!undecided.empty())
      return "undecided: " + undecided;
    if (measured_.measured.empty())
      return "nothing was measured";
    if (choice_.conditional.empty())
      return "no candidate is faster by measurement";
    const std::string &whyNot = choice_.conditional.front().whyNot;
    return "what is faster on some shapes is slower on others" + (whyNot.empty() ? "" : ": " + whyNot);
  }

  const MeasuredCase &measured_;
  MeasuredChoice choice_;
  std::vector<UnitSet> pool_;                  ///< sets that are accepted
  bool closed_ = false;                        ///< something is needed before more can be said
  std::map<GuardedSet, Measurement> supposed_; ///< under their guards, where they were not measured so
  std::deque<Measurement> outsides_;           ///< under guards, noise outside of them left out
  const Measurement *guarded_ = nullptr;       ///< what the choice under its guard rests on
  std::optional<Measurement> whole_;           ///< the same of several variants together
};

std::string firstThat(const Measurement &measurement, TimeComparison comparison) {
  const ShapeMeasurement *found = find(measurement, shapesThat(measurement, comparison).front());
  return llvm::formatv("'{0}' ({1:F3})", found->shape, found->ratio);
}

} // namespace

Verdict judgeMeasurement(const Measurement &measurement) {
  constexpr const char *stage = "measurement";
  if (measurement.verdict.kind != Verdict::Kind::Accepted)
    return measurement.verdict;
  if (measurement.shapes.empty() ||
      llvm::any_of(measurement.shapes, [](const ShapeMeasurement &shape) { return !shape.timed; }))
    return {Verdict::Kind::Undecided, stage, "it was not timed on every shape"};
  std::vector<std::string> faster = shapesThat(measurement, TimeComparison::Faster);
  std::vector<std::string> slower = shapesThat(measurement, TimeComparison::Slower);
  if (!slower.empty())
    return {Verdict::Kind::Declined, stage,
            (faster.empty() ? "" : "faster on " + firstThat(measurement, TimeComparison::Faster) + ", but ") +
                "slower on " + firstThat(measurement, TimeComparison::Slower)};
  for (const ShapeMeasurement &shape : measurement.shapes)
    if (mayBeSlower(shape))
      return {
          Verdict::Kind::Undecided, stage,
          llvm::formatv("it may be slower on '{0}': the ratio lies within {1:F3} and {2:F3}, noise {3:P1}",
                        shape.shape, shape.ratioLow, shape.ratioHigh, shape.noise)};
  if (faster.empty())
    return {Verdict::Kind::Declined, stage, "not faster on any shape"};
  std::vector<double> ratios;
  for (const ShapeMeasurement &shape : measurement.shapes)
    ratios.push_back(shape.ratio);
  return {Verdict::Kind::Accepted, stage,
          llvm::formatv(
              "faster on {0} of {1} shapes and slower on none: time x {2:F3} on average, x {3:F3} at worst",
              faster.size(), ratios.size(), meanRatio(measurement),
              *std::max_element(ratios.begin(), ratios.end()))};
}

std::vector<UnitSet> leadingSets(const MeasuredCase &measured, size_t most) {
  std::vector<std::pair<double, UnitSet>> ranked;
  for (const auto &[set, measurement] : measured.measured)
    if (!set.empty() && measurement.verdict.kind == Verdict::Kind::Accepted && !measurement.shapes.empty() &&
        llvm::all_of(measurement.shapes, [](const ShapeMeasurement &shape) { return shape.timed; }))
      ranked.emplace_back(meanRatio(measurement), set);
  llvm::sort(ranked);
  std::vector<UnitSet> leading;
  for (auto &[ratio, set] : llvm::MutableArrayRef(ranked).take_front(most))
    leading.push_back(std::move(set));
  return leading;
}

Measurement underGuard(const Measurement &measurement, const DispatchMeans &means,
                       const ScalarExpression &guard) {
  Measurement result = measurement;
  for (ShapeMeasurement &shape : result.shapes) {
    if (holdsOn(guard, means, shape.shape))
      continue;
    shape.comparison = TimeComparison::Same;
    shape.candidate = shape.original;
    shape.candidateCold = shape.originalCold;
    shape.ratio = shape.ratioLow = shape.ratioHigh = 1;
    shape.errors.clear();
  }
  return result;
}

MeasuredChoice chooseByMeasurement(const MeasuredCase &measured) {
  return Chooser(measured).choose();
}

std::vector<UnitSet> setsToCarry(const MeasuredCase &measured) {
  std::vector<UnitSet> sets;
  auto add = [&](const UnitSet &set) {
    if (!set.empty() && !llvm::is_contained(sets, set))
      sets.push_back(set);
  };
  auto addAblated = [&](const UnitSet &set) {
    if (set.size() > 1)
      for (unsigned unit : set)
        add(without(set, unit));
  };
  for (const UnitSet &set : measured.candidates)
    add(set);
  UnitSet all;
  for (const UnitSet &set : measured.candidates) {
    addAblated(set);
    if (goTogether(measured, all, set))
      all = unite(all, set);
  }
  add(all);
  addAblated(all);
  return sets;
}

} // namespace warpwright
