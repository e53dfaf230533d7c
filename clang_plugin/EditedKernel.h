#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Evidence.h"
#include "rewriters/LaunchPlan.h"

#include <llvm/Support/Error.h>

namespace warpwright {

/// A kernel with the edits of a set of candidates made, parsed again for one architecture.
struct EditedKernel {
  FileRequest request; ///< with the whole text
  FileAnalysis file;   ///< the kernel alone, its declarations read
  LaunchPlan plan;     ///< what takes the place of the original's launch
};

/// Makes the edits. `version` is the architecture's position. Fails with ParseFailure where the result does
/// not parse, and with NotMeasurable where the kernel is no longer there.
llvm::Expected<EditedKernel> openEdited(const FileVersions &versions, size_t version,
                                        const KernelRecord &record, llvm::ArrayRef<Candidate> set);

} // namespace warpwright
