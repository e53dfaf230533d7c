#pragma once

#include "feedback/loop/Candidates.h"

#include <vector>

namespace warpwright::loop {

/// A space of test/bench/recorded as a subject: measuring a point looks its times up.
class RecordedSpace : public Subject {
public:
  /// The name of the file is that of the kernel. An error names what is wrong with it.
  static llvm::Expected<RecordedSpace> read(const std::string &path);

  std::string kernel() const override { return kernel_; }
  std::string architecture() const override { return "sm_90"; }
  llvm::ArrayRef<LoopCandidate> candidates() const override { return candidates_; }
  StaticFacts originalFacts() const override { return original_.shapes.front(); }
  llvm::Expected<LoopOutcome> measure(size_t candidate) override;
  llvm::Expected<Diagnosed> diagnose(std::optional<size_t> candidate) override;

  double ratio(size_t candidate) const; ///< geometric mean over the shapes
  double best() const;                  ///< smallest ratio of all
  /// Declines what the model holds for more than `margin` times its cheapest point, before anything runs.
  void screen(double margin) { declineCostly(candidates_, margin); }
  unsigned delay = 0; ///< milliseconds that each measurement takes

private:
  struct Row {
    std::vector<StaticFacts> shapes;
    double localBytes = 0;
    std::vector<double> microseconds;
  };

  std::string kernel_;
  Row original_;
  std::vector<Row> rows_;
  std::vector<LoopCandidate> candidates_;
};

} // namespace warpwright::loop
