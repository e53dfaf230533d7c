#pragma once

#include "clang_plugin/FileVersions.h"
#include "clang_plugin/Pipeline.h"
#include "feedback/Lock.h"

namespace warpwright {

/// The lock of a build.
struct LockFile {
  std::string path;
  Lock lock;

  /// The name under which the lock knows the job's file.
  std::string nameOf(const FileJob &job) const;
};

/// What an entry for the kernel has to hold for in this build; device and driver are not asked for.
LockConditions conditionsOf(const FileJob &job, const KernelAnalysis &kernel, const NvccTarget &target,
                            std::string toolkitRelease);

/// Adds the sequences of steps that the entry chose to the kernel's candidates. What cannot be put together
/// any more is left out.
llvm::Error composeLocked(const FileJob &job, const FileVersions &versions, const LockEntry &entry,
                          KernelRecord &record);

/// Takes the choices of annotated kernels for which the lock has fresh entries that agree, one an
/// architecture of the command. For each other kernel a remark says what is missing or stale. Errors: nvcc
/// does not say its release.
llvm::Error takeLockedChoices(const FileJob &job, const FileVersions &versions, FileRecord &record);

} // namespace warpwright
