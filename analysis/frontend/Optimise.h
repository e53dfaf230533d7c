#pragma once

#include <llvm/Support/Error.h>

#include <memory>

namespace clang {
class TargetOptions;
}
namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace warpwright {

/// The NVPTX target for the processor and features that Clang's target options name.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const clang::TargetOptions &options);

/// Clang's -O1 pipeline, with the target's own passes in it: values in registers, helpers inlined, loops in
/// canonical form, and neither unrolled nor vectorised, so that an access in the IR is an access in the
/// source.
void optimise(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace warpwright
