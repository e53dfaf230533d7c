#pragma once

#include "analysis/ir/KernelFacts.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/Error.h>

#include <functional>
#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace warpwright {

struct CollectOptions {
  /// Names of the kernel's parameters by position, for IR whose value names were discarded. Empty: the IR's
  /// own names.
  llvm::ArrayRef<std::string> parameterNames;
  /// Name of the member at a byte offset of a by-value struct parameter, `n` or `grid.n`. Empty: "at8".
  std::function<std::string(unsigned position, uint64_t byte)> memberName;
  /// Files whose lines are reported at the call that leads into them. Empty: toolkit and compiler headers, by
  /// path.
  std::function<bool(llvm::StringRef)> isSystemFile;
};

/// Reads `kernel` as it is and changes nothing. Expected is Clang's -O1 output for nvptx64 with line tables,
/// after address spaces were inferred; other IR gives weaker facts, never wrong ones. `analyses` holds the
/// function analyses of llvm::PassBuilder. An error means that the function is no kernel with a body or is
/// for another target.
llvm::Expected<KernelFacts> collectKernelFacts(llvm::Function &kernel,
                                               llvm::FunctionAnalysisManager &analyses,
                                               const CollectOptions &options = {});

} // namespace warpwright
