#pragma once

#include "analysis/Launch.h"
#include "analysis/simt/Counters.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Function;
}

namespace warpwright::simt {

/// A member of a by-value struct parameter. Launches name it "parameter.member".
struct ParameterMember {
  std::string name;
  uint64_t offset = 0; ///< in bytes from the start of the struct
  unsigned bytes = 0;  ///< 1, 2, 4 or 8
  enum class Kind { Integer, Float, Pointer } kind = Kind::Integer;
};

/// A kernel parameter as its source declares it.
struct ParameterDescription {
  std::string name;
  std::vector<ParameterMember> members; ///< of a by-value struct; empty for scalars and pointers
};

struct SimtOptions {
  /// In order. Empty: names are taken from the IR's arguments, else from debug info.
  std::vector<ParameterDescription> parameters;
  /// Warp instructions to interpret before blocks and warps are sampled; a bound on time of about 0.1 s a
  /// million.
  uint64_t stepBudget = 1'000'000;
};

/// Runs `launch` of `kernel` warp by warp over the IR as it stands and counts what the hardware would count.
/// All lanes of a warp advance together, reconverging at immediate post-dominators. Unnamed pointers are
/// zero-filled buffers of 64 MiB, 256-byte aligned; what is read from memory that nobody wrote is zero, and
/// everything that depends on it is "assumed". Small launches are counted whole; larger ones than
/// `stepBudget` by representative blocks and warps, and are "estimated". Errors: a scalar parameter without a
/// value, a block of more than 1024 threads, a function without a body.
llvm::Expected<LaunchCounters> countLaunch(const llvm::Function &kernel, const Launch &launch,
                                           const SimtOptions &options = {});

} // namespace warpwright::simt
