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

private:
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
  std::vector<loop::StaticFacts> before_;
  std::map<UnitSet, Measurement> looks_;
};

} // namespace warpwright
