#pragma once

#include "analysis/TemporaryFolder.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <string>
#include <sys/types.h>

namespace warpwright {

/// The folder of everything temporary in one run, compilers' files included. It goes with this object, and no
/// less when the process is interrupted or killed: a second process, which does nothing else, outlives it,
/// ends the compilers that work in the folder and removes it. (A compiler of candidates is in a group of its
/// own, which no interrupt from a terminal reaches.)
class WorkFolder {
public:
  /// Before the first thread of the process is made. Fails where no folder or no process can be had.
  static llvm::Expected<std::unique_ptr<WorkFolder>> create();

  WorkFolder(const WorkFolder &) = delete;
  ~WorkFolder();

  const std::string &path() const { return folder_.path(); }

private:
  WorkFolder(TemporaryFolder folder, int alive, pid_t sweeper)
      : folder_(std::move(folder)), alive_(alive), sweeper_(sweeper) {}

  TemporaryFolder folder_;
  int alive_; ///< a pipe that closes when this process goes, however it goes
  pid_t sweeper_;
};

} // namespace warpwright
