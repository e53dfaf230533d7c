#pragma once

#include "analysis/FileAnalysis.h"
#include "analysis/simt/Counters.h"
#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/Fault.h"

namespace warpwright::vdevice {

/// What one watched launch came to.
struct WatchedOutcome {
  std::vector<Fault> faults; ///< of execution and of the checks
  bool faulted = false;      ///< some are no notes
  simt::LaunchCounters counters;
  std::string printed;   ///< by the kernel
  std::string undecided; ///< why it was not run; "" where it was
};

/// Options of a program as a command of nvcc asks for them, and the parameters of the file's kernels.
ProgramOptions programOptions(const FileAnalysis &file, const FileRequest &request);

/// The kernels of one file, ready for launches that are watched. Accesses are those of the code-generation
/// view (ir/Prepare.h), which is what the hardware counts.
class LaunchFile {
public:
  /// Changes the module of the file to that view; `file` must outlive this.
  static llvm::Expected<std::unique_ptr<LaunchFile>> create(FileAnalysis &file, const FileRequest &request);

  /// Runs a launch in memory of its own: variables with their initial values, and a buffer for every pointer,
  /// zero-filled and of 64 MiB unless the launch says otherwise. `stepLimit`: see LaunchRequest. Errors: no
  /// such kernel, and those of execute().
  llvm::Expected<WatchedOutcome> run(const Launch &launch, uint64_t stepLimit);

private:
  explicit LaunchFile(FileAnalysis &file) : file_(file) {}

  FileAnalysis &file_;
  std::unique_ptr<DeviceProgram> program_;
};

} // namespace warpwright::vdevice
