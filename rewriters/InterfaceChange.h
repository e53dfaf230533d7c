#pragma once

#include "rewriters/LaunchPlan.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace warpwright {

struct KernelAnalysis;

/// What may not change between a kernel and the one in its place: parameters, and every clause of the
/// annotation but, where `launchMayChange`, grid, block and dynamic_shared. Nothing where nothing did;
/// otherwise the code ("signature", "annotation") and the reason.
struct InterfaceChange {
  std::string code;
  std::string reason;
};
std::optional<InterfaceChange> findInterfaceChange(const KernelAnalysis &original,
                                                   const KernelAnalysis &candidate, bool launchMayChange);

/// What the name of a kernel's copy ends with: the same when it is measured and when it is built.
constexpr llvm::StringLiteral CloneSuffix = "_warpwright";

/// What the name of the copy of that number ends with: "_warpwright" of number 0, "_warpwright_2" of
/// number 1.
std::string cloneSuffixOf(unsigned copy);

/// The printed name of the copy of the kernel of that printed name: "ns::scale_warpwright<float>".
std::string cloneNameOf(llvm::StringRef kernel, unsigned copy = 0);

/// The plan of a candidate that is the same kernel or its copy: launched as its own annotation says.
LaunchPlan planOf(const KernelAnalysis &original, const KernelAnalysis &candidate);

} // namespace warpwright
