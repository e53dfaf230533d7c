#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Evidence.h"

namespace warpwright {

/// A record for each kernel that any architecture has: its findings, and what is predicted of it as it was
/// written. Its choice is the original until one is made.
std::vector<KernelRecord> recordKernels(const FileVersions &versions);

} // namespace warpwright
