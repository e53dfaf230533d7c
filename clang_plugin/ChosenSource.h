#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Evidence.h"

#include <optional>
#include <string>

namespace warpwright {

/// The source with the chosen edits of all records made, to lie at `job.generatedPath`; nothing where every
/// kernel stays as it is.
llvm::Expected<std::optional<std::string>> chosenSource(const FileJob &job, const FileVersions &versions,
                                                        llvm::ArrayRef<KernelRecord> records);

} // namespace warpwright
