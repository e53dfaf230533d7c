#include "feedback/VariantChain.h"

#include "feedback/DispatchGuard.h"
#include "feedback/MeasuredRatios.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// More are hard to read at a launch, and each is one more kernel to compile.
constexpr size_t mostVariants = 4;

constexpr const char *always = "1";

bool isAccepted(const Measurement &measurement) {
  return judgeMeasurement(measurement).kind == Verdict::Kind::Accepted;
}

} // namespace

bool VariantChain::isUsable(const UnitSet &set, const Measurement &measurement) const {
  return !set.empty() && measurement.verdict.kind == Verdict::Kind::Accepted &&
         llvm::all_of(measurement.shapes, [](const ShapeMeasurement &shape) { return shape.timed; }) &&
         llvm::none_of(set, [&](unsigned unit) { return measured_.dispatch.fixed.contains(unit); });
}

Measurement VariantChain::wholeWith(const GuardedSet &variant, const Measurement &measurement) const {
  Measurement whole = whole_;
  for (ShapeMeasurement &shape : whole.shapes)
    if (const ShapeMeasurement *own = find(measurement, shape.shape);
        own && holdsOn(variant.guard, measured_.dispatch, shape.shape))
      shape = *own;
  return whole;
}

std::optional<VariantChain::Extension> VariantChain::extensionBy(const UnitSet &set,
                                                                 const Measurement &measurement) const {
  std::vector<ScalarValues> winning, losing;
  for (const ShapeMeasurement &shape : measurement.shapes) {
    const ShapeMeasurement *now = find(whole_, shape.shape);
    auto values = measured_.dispatch.scalars.find(shape.shape);
    if (!now || values == measured_.dispatch.scalars.end())
      return std::nullopt; // what cannot be said of one shape separates none
    if (shape.comparison == TimeComparison::Slower || mayBeSlower(shape) ||
        shape.ratio > now->ratio * (1 + marginOf(shape)))
      losing.push_back(values->second);
    else if (shape.comparison == TimeComparison::Faster && shape.ratio < now->ratio * (1 - marginOf(shape)))
      winning.push_back(values->second);
  }
  std::optional<ScalarExpression> guard = separatingGuard(winning, losing);
  if (!guard)
    return std::nullopt;
  Extension extension;
  extension.variant = {set, guard->str(), static_cast<unsigned>(before_.size() + 1)};
  extension.whole = wholeWith(extension.variant, measurement);
  extension.mean = meanRatio(extension.whole);
  return extension;
}

std::optional<VariantChain::Extension> VariantChain::bestExtension() const {
  std::optional<Extension> best;
  for (const auto &[set, measurement] : measured_.measured) {
    if (!isUsable(set, measurement))
      continue;
    std::optional<Extension> extension = extensionBy(set, measurement);
    if (!extension || refused_.contains(extension->variant) ||
        extension->mean >= meanRatio(whole_) * (1 - smallestMargin))
      continue;
    // Between equals the smaller change: noise is no reason.
    bool isBetter =
        !best || extension->mean < best->mean * (1 - smallestMargin) ||
        (extension->mean <= best->mean * (1 + smallestMargin) && set.size() < best->variant.set.size());
    if (isBetter)
      best = std::move(extension);
  }
  return best;
}

const Measurement *VariantChain::look(const GuardedSet &variant, std::vector<GuardedSet> &needed) {
  const DispatchMeans &means = measured_.dispatch;
  if (auto found = means.asAWhole.find(variant); found != means.asAWhole.end())
    return &found->second;
  if (means.measured) {
    needed.push_back(variant);
    return nullptr;
  }
  llvm::Expected<ScalarExpression> guard = ScalarExpression::parse(variant.guard);
  if (!guard) {
    llvm::consumeError(guard.takeError());
    return nullptr;
  }
  return &(supposed_[variant] = underGuard(measured_.measured.at(variant.set), means, *guard));
}

void VariantChain::extend(std::vector<GuardedSet> &needed) {
  const bool isFixed =
      llvm::any_of(last_.set, [&](unsigned unit) { return measured_.dispatch.fixed.contains(unit); });
  if (!measured_.dispatch.whyNot.empty() || isFixed)
    return;
  while (before_.size() + 1 < mostVariants) {
    std::optional<Extension> best = bestExtension();
    if (!best)
      return;
    if (last_.guard.empty()) {
      // What was launched everywhere becomes a copy, which is measured as one.
      const Measurement *found = look({last_.set, always}, needed);
      if (!found || !isAccepted(*found))
        return;
    }
    const Measurement *found = look(best->variant, needed);
    if (!found)
      return;
    Measurement whole = wholeWith(best->variant, *found);
    if (!isAccepted(withoutNoiseOutside(*found, measured_.dispatch, best->variant.guard)) ||
        !isAccepted(whole) || meanRatio(whole) >= meanRatio(whole_) * (1 - smallestMargin)) {
      refused_.insert(best->variant);
      continue;
    }
    if (last_.guard.empty())
      last_.guard = always;
    before_.insert(before_.begin(), best->variant);
    whole_ = std::move(whole);
  }
}

} // namespace warpwright
