#pragma once

#include "clang_plugin/EditedKernel.h"
#include "feedback/Tuning.h"
#include "feedback/evaluators/cuda/CudaEvaluator.h"
#include "feedback/evaluators/virtual/verify/OriginalKernel.h"

#include <memory>
#include <optional>

namespace warpwright {

/// One kernel while its candidates are measured, on one architecture. What it is given is borrowed.
class KernelTuning {
public:
  struct Setting {
    const FileVersions &versions;
    size_t version;             ///< of the architecture that is measured
    const KernelRecord &record; ///< with its candidates, screened
    CudaEvaluator &evaluator;
    const MeasuredCode &original; ///< the whole file as it is
    unsigned maxRegisters = 0;    ///< a thread, by policy; 0: any. An annotation's limit goes before it
    bool answersAtOnce = false;   ///< the evaluator's place measures here and now
  };

  /// Fails with NotMeasurable where the kernel cannot be measured.
  static llvm::Expected<std::unique_ptr<KernelTuning>> create(const Setting &setting);

  TunedKernel &kernel() { return kernel_; }
  const MeasuredKernel &measured() const { return measured_; }

  /// Starts nvcc on the set, if it is not under way, so that the device need not wait for it.
  void prepare(const GuardedSet &set);

  /// The set's times on few runs, for a ranking; not held against the virtual device. Decided and declined as
  /// by measure(), and nothing where the place gives no result at once.
  llvm::Expected<std::optional<Measurement>> look(const GuardedSet &set);

  /// The original beside itself, on as few runs: its times before anything is tried. Nothing as for look().
  llvm::Expected<std::optional<Measurement>> lookAtOriginal();

  /// Seconds for which nvcc was waited for so far.
  double waited() const { return waited_; }

  /// Forgets the set's code: it is not asked for any more.
  void drop(const GuardedSet &set) { prepared_.erase(set); }

  /// An undecided measurement of the set that the verdict takes the place of.
  Measurement decided(const GuardedSet &set, Verdict verdict) const;

  /// The set beside the original: virtual device first, then the place of the evaluator. What was declined
  /// before or cannot be measured is a measurement, too; nothing where the place gives no result at once.
  llvm::Expected<std::optional<Measurement>> measure(const GuardedSet &set);

  /// Profiles of the set, or of the original where it is empty, on the shapes at these positions; none given:
  /// on all. nvcc makes the code once more, with line tables, so that what is timed has none. What could not
  /// be had is a profile that says why; nothing where the place gives no result at once.
  llvm::Expected<std::optional<std::vector<Profile>>> profile(const GuardedSet &set,
                                                              llvm::ArrayRef<size_t> shapes = {});

private:
  explicit KernelTuning(const Setting &setting) : setting_(setting) {}

  /// A set with its parse, and nvcc under way.
  struct Prepared {
    EditedKernel edited;
    std::optional<DeviceCompile> compile;
    std::optional<MeasuredCode> code; ///< once nvcc is done
  };

  llvm::Expected<std::vector<Candidate>> candidatesOf(const GuardedSet &set) const;
  llvm::Expected<Prepared> open(const GuardedSet &set) const;
  llvm::Expected<std::optional<std::vector<Profile>>> profileCode(const FileRequest &request,
                                                                  const FileAnalysis &file,
                                                                  const LaunchPlan &plan,
                                                                  const ProfileOrder &order) const;
  void readScalars();
  llvm::Error openOriginal();
  llvm::Expected<std::optional<Measurement>> verify(const GuardedSet &set, Prepared &prepared);
  std::optional<Verdict> overLimit(const MeasuredCode &code, const KernelAnalysis &kernel) const;
  llvm::Expected<std::optional<Measurement>> prepared(const GuardedSet &set);
  llvm::Expected<std::optional<Measurement>> finish(const GuardedSet &set, Prepared &prepared);
  llvm::Expected<std::optional<Measurement>> run(const GuardedSet &set, const Prepared &prepared,
                                                 bool firstLook);

  Setting setting_;
  MeasuredKernel measured_;
  TunedKernel kernel_;
  std::map<GuardedSet, Prepared> prepared_;
  double waited_ = 0;
  std::optional<EditedKernel> before_; ///< the original, parsed for the virtual device
  std::unique_ptr<vdevice::Subject> subject_;
  std::unique_ptr<vdevice::OriginalKernel> original_;
};

} // namespace warpwright
