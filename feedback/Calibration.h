#pragma once

#include "analysis/Finding.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace warpwright {

/// A quantity of one launch by analysis, and as the device counted it.
struct CountComparison {
  std::string code;     ///< "original", or the candidate's name
  std::string shape;    ///< label
  std::string quantity; ///< "global load sectors"
  std::string accesses; ///< lines of the source that it is about: "17, 18"; empty: all
  double predicted = 0;
  double measured = 0;
  std::string grade;       ///< of the prediction: "exact", "assumed", "estimated"
  std::string explanation; ///< why they differ; empty where they are equal, or where nothing explains it

  /// Within half a percent: counters of some units are sampled, and replays differ by a few.
  bool isEqual() const;
  bool isExplained() const { return isEqual() || !explanation.empty(); }
};

/// What the device said of a rule's word: a finding's, or a feedback rule's that findings contradict.
struct RuleComparison {
  std::string rule; ///< id
  std::string shape;
  bool agreed = false;
  std::string why; ///< the numbers
};

/// How candidates were ranked by one measure, and by another.
struct RankComparison {
  std::string what;  ///< "model" against the times of `shape`, "small shape" against those of the main one
  std::string shape; ///< label
  unsigned candidates = 0;   ///< the original among them
  double correlation = 0;    ///< of ranks, -1..1 (Spearman's)
  double chosenOverBest = 1; ///< time of what the first measure would choose, over that of the fastest
};

/// What one run of tune learned of one kernel on one device.
struct KernelCalibration {
  std::string kernel; ///< key
  std::string architecture;
  std::string device;
  std::string toolkit;
  std::vector<CountComparison> counts;
  std::vector<RuleComparison> rules;
  std::vector<RankComparison> ranks;
};

/// How far a rule's word held on an architecture.
struct RuleRecord {
  unsigned agreed = 0;
  unsigned refuted = 0;
};

/// All that was learned by measurement about what analysis says: a `warpwright/calibration/1` document, kept
/// beside the lock and committed with it. Kernels are in the order of their keys, so that a diff shows what
/// changed.
class Calibration {
public:
  /// Empty where there is no such file. An error names the place in the document.
  static llvm::Expected<Calibration> readOrEmpty(llvm::StringRef path);
  static llvm::Expected<Calibration> read(const nlohmann::ordered_json &document);
  /// Where the calibration of a lock lies: "kernels.lock" has "kernels.calibration.json".
  static std::string pathFor(llvm::StringRef lock);

  /// In the place of what was known of the kernel on that architecture.
  void update(KernelCalibration kernel);
  llvm::ArrayRef<KernelCalibration> kernels() const { return kernels_; }

  RuleRecord recordOf(llvm::StringRef rule, llvm::StringRef architecture) const;
  /// A rule's own confidence, drawn towards how often its word held on that architecture: after as many
  /// launches as `ownWeight` both count the same.
  double confidence(llvm::StringRef rule, llvm::StringRef architecture, double own) const;
  /// The same for each finding.
  void apply(llvm::MutableArrayRef<Finding> findings, llvm::StringRef architecture) const;
  static constexpr double ownWeight = 4;

  nlohmann::ordered_json toJson() const;

private:
  std::vector<KernelCalibration> kernels_;
};

/// For people: counts that differ, each with its reason; how rules and ranks held.
void printCalibration(llvm::ArrayRef<KernelCalibration> kernels, llvm::raw_ostream &stream);

} // namespace warpwright
