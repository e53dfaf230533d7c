#pragma once

#include "feedback/ChooseMeasured.h"

#include <set>
#include <vector>

namespace warpwright {

/// Variants of one kernel in the order in which their guards are asked on the host. It grows from its end:
/// what is put before a chain is launched where its guard holds, whatever those behind it say.
class VariantChain {
public:
  /// `times` are those of `last`, which may be launched everywhere. What is given is borrowed.
  VariantChain(const MeasuredCase &measured, GuardedSet last, Measurement times)
      : measured_(measured), last_(std::move(last)), whole_(std::move(times)) {}

  /// Puts sets before the chain while one makes the family faster by more than 1 %: where it is faster than
  /// the chain, if a guard separates those shapes from the ones where it is slower than the chain or may be
  /// slower than the original. Where guarded sets are measured, too, those that are not yet are added to
  /// `needed`, and no more is said before they are.
  void extend(std::vector<GuardedSet> &needed);

  const std::vector<GuardedSet> &before() const { return before_; }
  /// Guard "1" where it is launched everywhere, and something stands before it.
  const GuardedSet &last() const { return last_; }
  /// The times of the chain, on each shape those of what is launched there.
  const Measurement &whole() const { return whole_; }

private:
  struct Extension {
    GuardedSet variant;
    Measurement whole; ///< of the chain with it
    double mean = 1;
  };

  bool isUsable(const UnitSet &set, const Measurement &measurement) const;
  std::optional<Extension> extensionBy(const UnitSet &set, const Measurement &measurement) const;
  std::optional<Extension> bestExtension() const;
  /// The chain's times with those of the variant where its guard holds.
  Measurement wholeWith(const GuardedSet &variant, const Measurement &measurement) const;
  /// What is known of the set under its guard; null where it has to be measured first.
  const Measurement *look(const GuardedSet &variant, std::vector<GuardedSet> &needed);

  const MeasuredCase &measured_;
  std::vector<GuardedSet> before_;
  GuardedSet last_;
  Measurement whole_;
  std::set<GuardedSet> refused_;               ///< what did not hold when it was measured under its guard
  std::map<GuardedSet, Measurement> supposed_; ///< under guards, where nothing is measured so
};

} // namespace warpwright
