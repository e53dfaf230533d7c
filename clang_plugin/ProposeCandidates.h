#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Evidence.h"
#include "feedback/Policy.h"

namespace warpwright {

/// Why no text of the kernel may change; empty where it may.
std::string whyUntouchable(const FileVersions &versions, const KernelRecord &record);

/// Asks every rewriter about an annotated kernel, on every architecture, and adds to the record what all of
/// them propose, and why others do not. A kernel that cannot be rewritten at all gets that as its reason.
/// `relaunched`: the kernel is the copy that an earlier step of a sequence made.
llvm::Error proposeCandidates(FileVersions &versions, const Policy &policy, KernelRecord &record,
                              bool relaunched = false);

} // namespace warpwright
