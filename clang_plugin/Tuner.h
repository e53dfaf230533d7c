#pragma once

#include "clang_plugin/FileVersions.h"
#include "clang_plugin/KernelSearch.h"
#include "clang_plugin/LockedChoice.h"
#include "feedback/Calibration.h"
#include "feedback/DeviceFigures.h"
#include "feedback/Tuning.h"
#include "feedback/evaluators/cuda/MeasuringPlace.h"

namespace warpwright {

class BundleFolder;

/// Chooses by measurement: the step of the pipeline that stands in the place of the choice by facts. What was
/// chosen is left behind as entries of a lock, or, where jobs are carried, as work of a bundle.
class Tuner {
public:
  /// On a device of this machine, which `place` is. Borrowed.
  explicit Tuner(MeasuringPlace &place) : place_(place) {}
  /// For a device elsewhere.
  explicit Tuner(BundleFolder &bundle);

  /// Where entries go, and which fresh ones need no measuring.
  void useLock(const LockFile &lock) { lock_ = &lock; }

  /// Those that are here: entries and what is kept of searches hold for them. Of carried jobs nobody knows.
  void onDevice(std::string device, std::string driver);

  /// What the device was measured to reach: what is predicted is held against it.
  void useFigures(DeviceFigures figures) { figures_ = std::move(figures); }
  /// Candidates get a short look each, and nothing is chosen.
  void onlyLook() { onlyLooks_ = true; }
  /// How candidates are looked at before they are measured; without knowledge in it, all of them are
  /// measured.
  void setSearch(SearchSettings search) { search_ = std::move(search); }

  /// Takes the choices of kernels whose entries are fresh, on this very device and driver: nothing is
  /// measured again.
  llvm::Error takeFresh(const FileJob &job, const FileVersions &versions,
                        llvm::MutableArrayRef<KernelRecord> records);

  /// Measures the candidates of every other annotated kernel and gives each record its choice, reason and
  /// measurements. A kernel that cannot be measured keeps its original, with the reason.
  llvm::Error tune(const FileJob &job, const FileVersions &versions,
                   llvm::MutableArrayRef<KernelRecord> records);

  /// Of all files so far.
  llvm::ArrayRef<LockEntry> entries() const { return entries_; }
  /// What was learned of each kernel that was measured.
  llvm::ArrayRef<KernelCalibration> calibrations() const { return calibrations_; }
  /// What searches cost and brought, for the record; taken once.
  std::vector<Remark> takeRemarks() { return std::exchange(remarks_, {}); }
  /// Kernels whose entry was fresh.
  unsigned skipped() const { return skipped_; }

private:
  struct Pass; ///< one file
  llvm::Error tuneKernel(Pass &pass, KernelRecord &record);
  llvm::Expected<std::map<UnitSet, Measurement>> lookAtEach(class KernelTuning &tuning);
  llvm::Error onlyLookAtAll(class KernelTuning &tuning, KernelRecord &record);
  llvm::Error lookAtAll(class KernelTuning &tuning, class TuningProfiles &profiles,
                        const KernelRecord &record);
  void say(const KernelRecord &record, std::string words);
  llvm::Error measureAll(Pass &pass, class KernelTuning &tuning, KernelRecord &record);
  llvm::Error carry(Pass &pass, class KernelTuning &tuning, KernelRecord &record);
  void learnFrom(const Pass &pass, const KernelRecord &record);
  LockEntry conditionsFor(const Pass &pass, const KernelRecord &record) const;
  bool isFresh(const LockEntry &entry, LockEntry conditions) const;

  MeasuringPlace &place_;
  BundleFolder *bundle_ = nullptr; ///< where the place is one
  const LockFile *lock_ = nullptr;
  std::string device_;
  std::string driver_;
  std::optional<DeviceFigures> figures_;
  bool onlyLooks_ = false;
  std::vector<LockEntry> entries_;
  std::vector<KernelCalibration> calibrations_;
  unsigned skipped_ = 0;
  SearchSettings search_;
  std::vector<Remark> remarks_;
};

} // namespace warpwright
