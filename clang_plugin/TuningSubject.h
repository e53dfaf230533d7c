#pragma once

#include "clang_plugin/KernelTuning.h"
#include "feedback/loop/Candidates.h"

#include <functional>

namespace warpwright {

/// The primary and the secondary bottleneck of a measured version; the empty set is the original. Nothing:
/// nobody has profiled it.
using BottlenecksOf = std::function<llvm::Expected<std::vector<Bottleneck>>(KernelTuning &, const UnitSet &)>;

/// The proposals for one kernel as the loop sees them: a candidate is measured by a first look, and known by
/// the edits that it makes and its launch plan.
class TuningSubject : public loop::Subject {
public:
  /// All are borrowed. `original` is the look at the original beside itself; `bottlenecks` may be null.
  TuningSubject(KernelTuning &tuning, const KernelRecord &record, const Measurement *original,
                BottlenecksOf bottlenecks);

  std::string kernel() const override { return record_.key; }
  std::string architecture() const override;
  llvm::ArrayRef<loop::LoopCandidate> candidates() const override { return candidates_; }
  loop::StaticFacts originalFacts() const override;
  llvm::Expected<loop::LoopOutcome> measure(size_t candidate) override;
  void recall(size_t candidate, const std::string &detail) override;
  std::optional<size_t> combine(llvm::ArrayRef<size_t> candidates) override;
  void prepare(size_t candidate) override { tuning_.prepare({sets_[candidate], {}}); }
  llvm::Expected<loop::Diagnosed> diagnose(std::optional<size_t> candidate) override;

  /// What came of every look.
  const std::map<UnitSet, Measurement> &looks() const { return looks_; }
  /// Of one candidate; null where it was not looked at.
  const Measurement *lookOf(size_t candidate) const;
  /// Ratios to the original's time by the model, a shape each; empty where they are not known.
  llvm::ArrayRef<double> expected(size_t candidate) const { return expected_[candidate]; }
  /// Whether the original, or another candidate, can be launched on the shapes on which one is slower: then
  /// a candidate counts for what it gains where it gains.
  bool mayDispatch() const;

private:
  std::vector<double> expectedOf(const std::vector<Prediction> &predictions) const;
  double ratioOf(const Measurement &look) const;
  loop::LoopCandidate describe(const UnitSet &set) const;
  std::vector<loop::StaticFacts> factsOf(const std::vector<Prediction> &predictions,
                                         const LaunchPlan *plan) const;

  KernelTuning &tuning_;
  const KernelRecord &record_;
  const Measurement *original_;
  BottlenecksOf bottlenecks_;
  std::vector<UnitSet> sets_;
  std::vector<loop::LoopCandidate> candidates_;
  std::vector<std::vector<loop::StaticFacts>> facts_; ///< of each, a shape each; empty: not known
  std::vector<std::vector<double>> expected_;
  std::vector<loop::StaticFacts> before_;
  std::map<UnitSet, Measurement> looks_;
};

} // namespace warpwright
