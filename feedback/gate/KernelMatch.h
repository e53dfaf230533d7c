#pragma once

#include "feedback/gate/Gate.h"

#include <map>

namespace warpwright {

/// The kernels of a check, those that several files or commands compile taken together: a number is the worst
/// of them, a finding one that any of them has.
std::vector<CheckedKernel> uniteKernels(llvm::ArrayRef<CheckedFile> files);

/// Which kernel of a baseline is which kernel now.
class KernelMatch {
public:
  KernelMatch(const GateRequest &request, llvm::ArrayRef<CheckedKernel> kernels);

  struct Match {
    GateKernel::Origin origin = GateKernel::Origin::New;
    const BaselineKernel *before = nullptr;
  };
  /// The same file and key; or, where that is gone there, the same name and signature in another file
  /// (moved); or the same body under another name (renamed).
  Match of(const CheckedKernel &kernel) const;

  /// Kernels of the baseline that are no more, and became no other.
  std::vector<const BaselineKernel *> gone() const;

private:
  bool isGone(const BaselineKernel &kernel) const;
  const BaselineKernel *successorOf(const CheckedKernel &kernel, bool sameName) const;

  const GateRequest &request_;
  std::vector<std::string> checkedFiles_;                        ///< from the root, sorted
  std::map<std::pair<std::string, std::string>, Match> matches_; ///< by file and key
};

} // namespace warpwright
