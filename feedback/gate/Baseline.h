#pragma once

#include "feedback/gate/Checked.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What a baseline keeps of a kernel for one architecture and toolkit.
struct BaselineTarget {
  std::string architecture;
  std::string toolkit; ///< "13.0.88"
  std::string launch;  ///< as CheckedKernel::launch
  MetricValues metrics;
  std::vector<std::pair<std::string, std::string>> findings; ///< rule and fingerprint, sorted; one a finding
};

struct BaselineKernel {
  std::string file; ///< from the baseline's folder, with slashes
  std::string key;
  std::string body; ///< as CheckedKernel::body
  std::vector<BaselineTarget> targets;

  bool isHost() const; ///< as CheckedKernel::isHost()
};

/// What was so when a project last agreed to it: a `warpwright/baseline/1` document.
struct Baseline {
  std::vector<BaselineKernel> kernels; ///< by file and key

  const BaselineKernel *find(llvm::StringRef file, llvm::StringRef key) const;
  /// The target of that architecture and toolkit, or null.
  static const BaselineTarget *findTarget(const BaselineKernel &kernel, llvm::StringRef architecture,
                                          llvm::StringRef toolkit);
};

/// Errors name the file: unreadable, no JSON, another document or version of it, or an entry that is not as
/// it should be.
llvm::Expected<Baseline> readBaseline(llvm::StringRef path);

/// The document, in an order that does not depend on that of the check, a finding a line.
std::string printBaseline(const Baseline &baseline);

/// What was checked as a baseline of its own. `relative` names a path from the baseline's folder.
Baseline baselineOf(llvm::ArrayRef<CheckedFile> files,
                    llvm::function_ref<std::string(llvm::StringRef)> relative);

/// `old` with the kernels of `fresh` in the place of what it had of them. Kernels of `checkedFiles` that are
/// gone are gone; other files, and targets that were not checked this time, stay.
Baseline mergeBaselines(const Baseline &old, Baseline fresh, llvm::ArrayRef<std::string> checkedFiles);

} // namespace warpwright
