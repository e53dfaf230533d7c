#pragma once

#include "feedback/Tuning.h"
#include "feedback/evaluators/cuda/MeasuringPlace.h"

#include <vector>

namespace warpwright {

/// A job of a bundle, and the set of units that it measures.
struct CarriedJob {
  UnitSet set;
  std::string path; ///< in the bundle
  std::string sha256;
  std::string originalSha256; ///< of the cubins that it names
  std::string candidateSha256;
};

/// A kernel whose candidates are measured elsewhere.
struct CarriedKernel {
  TunedKernel kernel; ///< what was decided here without a device is measured already
  std::vector<CarriedJob> jobs;
  std::map<std::string, ShapeWork> work; ///< by shape
};

/// A folder that a machine with a device, a driver, CMake and a C++ compiler can measure, and that has
/// nothing of ours besides:
///
///     run.sh           builds the runner, checks every file, runs every job
///     SHA256SUMS       of everything that the run needs
///     bundle.json      warpwright/bundle/1: which job measures what
///     cubins/ jobs/    the code, and warpwright/job/1 documents
///     runner/          the runner's source with its headers and a CMake file
///     results/         what the run leaves behind
class BundleFolder : public MeasuringPlace {
public:
  /// Makes the folder; one that holds anything else than a bundle is an error. What an earlier bundle left
  /// there goes. `runnerSource` is the folder of the runner's source tree with its headers.
  static llvm::Expected<BundleFolder> create(llvm::StringRef path, llvm::StringRef runnerSource);

  /// What the code is made for from here on, "sm_90".
  void setArchitecture(std::string architecture) { architecture_ = std::move(architecture); }
  std::string architecture() const override { return architecture_; }
  std::string codeFolder() const override { return path_ + "/cubins"; }
  std::string codePath(llvm::StringRef cubin) const override;
  llvm::Expected<std::optional<nlohmann::ordered_json>> take(const nlohmann::ordered_json &job) override;

  /// The job that was taken last.
  const CarriedJob &lastJob() const { return lastJob_; }
  void add(CarriedKernel kernel) { kernels_.push_back(std::move(kernel)); }
  llvm::ArrayRef<CarriedKernel> kernels() const { return kernels_; }
  unsigned jobs() const { return jobs_; }

  /// Writes bundle.json, SHA256SUMS and run.sh: the bundle is whole then.
  llvm::Error finish() const;

private:
  explicit BundleFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::string architecture_;
  std::vector<CarriedKernel> kernels_;
  CarriedJob lastJob_;
  unsigned jobs_ = 0;
};

/// The runner's source that belongs to this program: below share/ beside it.
std::string findRunnerSource(llvm::StringRef program);

/// The kernels of a bundle with what came back, choices still to be made. `results` is the folder with the
/// results; empty: that of the bundle. A result whose checksums are not those of the bundle's own jobs and
/// cubins is refused: the error names it. Jobs without a result are left unmeasured, and `missing` counts
/// them.
struct MergedBundle {
  std::vector<TunedKernel> kernels;
  unsigned results = 0;
  unsigned missing = 0;
};
llvm::Expected<MergedBundle> readBundle(llvm::StringRef path, llvm::StringRef results);

} // namespace warpwright
