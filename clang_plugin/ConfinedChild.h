#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <functional>
#include <string>
#include <vector>

namespace warpwright {

/// What a child may take, and touch.
struct ChildLimits {
  unsigned seconds = 120;            ///< of wall time, and of each process' CPU time times the cores
  unsigned memoryMiB = 6144;         ///< resident, of all its processes together
  unsigned fileMiB = 512;            ///< of a file that it writes
  std::vector<std::string> writable; ///< folders; everything else can be read alone
};

/// How a child ended.
struct ChildOutcome {
  int code = 0; ///< exit code; 128 and the signal's number where it was killed
  enum class End { Exited, OutOfTime, OutOfMemory, Cancelled } end = End::Exited;
  std::string output;               ///< what it said on both streams, the first and last part of much
  std::vector<std::string> missing; ///< confinement that this machine does not offer
};

/// Runs the command with text that nobody vouches for: in a session of its own, without network (no socket
/// but local ones can be made), writing below `writable` alone, with the few variables of the environment
/// that compilers need. The command is executed as it stands, by no shell. Memory is what all processes of
/// the session hold: a limit of address space would break CUDA. `isCancelled` is asked several times a
/// second. An error: it could not be started.
llvm::Expected<ChildOutcome> runConfined(const std::vector<std::string> &command, const ChildLimits &limits,
                                         const std::function<bool()> &isCancelled);

} // namespace warpwright
