#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Evidence.h"
#include "feedback/evaluators/virtual/verify/Verification.h"

namespace warpwright {

/// Runs the kernel with the edits of a set of its candidates, which fit together, against the original on the
/// virtual device, for every architecture. Both are parsed anew: what compares bit by bit must come out of
/// the compiler the same way, and the analyses have changed the IR that is there.
llvm::Expected<Verification> verifyCandidates(const FileVersions &versions, const KernelRecord &record,
                                              llvm::ArrayRef<const Candidate *> set);

/// Runs the kernel with the edits chosen for it against the original on the virtual device. Every chosen
/// candidate gets the verdict; where it is not accepted, nor undecided where the job admits that, the
/// original is kept. An error is a fault of the tool.
llvm::Error verifyChosen(const FileJob &job, const FileVersions &versions, KernelRecord &record);

} // namespace warpwright
