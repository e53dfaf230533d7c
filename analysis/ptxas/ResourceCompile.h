#pragma once

#include "analysis/TemporaryFolder.h"
#include "analysis/ptxas/PtxasOutput.h"

#include <llvm/Support/Error.h>
#include <llvm/Support/Program.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What to compile for its resources.
struct ResourceRequest {
  std::string nvcc = "nvcc"; ///< a path, or a name that is looked for in PATH
  std::string file;          ///< as the user named it
  std::string directory;     ///< where relative paths start; empty: the current one
  std::string architecture;  ///< what code is made for: "sm_90", "sm_90a"
  /// What the PTX is made for, as in `-gencode arch=`: "compute_80" gives other code for sm_90 than
  /// "compute_90" does. Empty: the one of the same number as `architecture`.
  std::string virtualArchitecture;
  /// The user's arguments that bear on device code: -D, -I, -O, -use_fast_math, -maxrregcount, -std, -Xptxas,
  /// -Xcompiler and so on, as for nvcc. Without input, output, dependency files, -c and its kin, and
  /// architectures.
  std::vector<std::string> arguments;
  std::string cubin;              ///< an absolute path where the cubin is left; empty: it is thrown away
  std::string temporaryDirectory; ///< an absolute path; empty: the system's
  std::chrono::milliseconds limit = std::chrono::seconds(120); ///< from the start
};

struct ResourceReport {
  PtxasReport ptxas; ///< kernels with the size of their code
  /// With -rdc=true, ptxas does not see what is linked: registers and stack of kernels that call into other
  /// files are unknown until then, and even those of the rest may not be taken as final.
  bool beforeLinking = false;
  std::chrono::milliseconds duration = {};
};

/// Why there are no resources.
class ResourceError : public llvm::ErrorInfo<ResourceError> {
public:
  enum class Kind {
    NotFound,      ///< there is no nvcc
    Failed,        ///< nvcc refused; `text` has the first 20 and the last 10 lines of what it said
    TimedOut,      ///< it took longer than the limit and was ended
    Killed,        ///< a signal ended it
    NotUnderstood, ///< it succeeded, but what it wrote could not be read
    System         ///< no temporary folder, no process
  };
  static char ID;
  ResourceError(Kind kind, std::string text) : kind(kind), text(std::move(text)) {}

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  Kind kind;
  std::string text;
};

/// The first and last lines of a text, with a line that says how many are left out between.
std::string excerpt(llvm::StringRef text, size_t first = 20, size_t last = 10);

/// Whether nvcc's arguments ask for separate compilation.
bool compilesSeparately(llvm::ArrayRef<std::string> arguments);

/// Compiles the device side of one file for one architecture (`nvcc -cubin -Xptxas -v`) beside whatever else
/// this process does: start it, do the other work, then wait. Several may run at once.
///
/// nvcc runs as the leader of a process group of its own, and its temporary files lie in our folder: at the
/// time limit, or when this object goes before the result was asked for, the whole group ends and the folder
/// is removed. (Ending nvcc alone would leave its compiler running.) Only when this process itself is killed
/// does the folder stay, for whoever looks after `temporaryDirectory`.
class ResourceCompile {
public:
  /// Fails with ResourceError.
  static llvm::Expected<ResourceCompile> start(const ResourceRequest &request);

  ResourceCompile(ResourceCompile &&other) noexcept;
  ResourceCompile &operator=(ResourceCompile &&) = delete;
  ~ResourceCompile();

  /// Whether wait() would return at once. Never blocks.
  bool finished();
  /// Waits for the end, or the limit, and reads the result. Once only. Fails with ResourceError.
  llvm::Expected<ResourceReport> wait();

private:
  ResourceCompile() = default;
  void end();
  llvm::Expected<ResourceReport> read() const;

  /// Nothing in an object that was moved from or has given its result.
  std::optional<TemporaryFolder> folder_;
  std::string architecture_;
  std::string cubin_; ///< where it is left
  bool beforeLinking_ = false;
  llvm::sys::ProcessInfo process_; ///< Pid 0: nothing is running
  llvm::sys::ProcessInfo ended_;
  std::string endMessage_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::milliseconds limit_ = {};
  std::chrono::milliseconds duration_ = {};
};

} // namespace warpwright
