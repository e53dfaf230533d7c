#pragma once

#include <llvm/Support/Error.h>

namespace llvm {
class Module;
}

namespace warpwright {

/// Device IR as Clang gives it at -O1 says little of what an access costs: shared arrays hide behind generic
/// pointers, and vector accesses of the source are split into scalars. Two views put that right, in place.

/// The source view: address spaces are inferred, everything else stays as it was written, debug locations
/// included. An error if the module's target is not NVPTX.
llvm::Error prepareSourceView(llvm::Module &module);

/// The code-generation view, on top of the source view: neighbouring loads and stores are joined to accesses
/// of 8 and 16 bytes where the alignment is proved, as the device compiler does. Counters of a launch are
/// counted on this one.
llvm::Error prepareCodegenView(llvm::Module &module);

} // namespace warpwright
