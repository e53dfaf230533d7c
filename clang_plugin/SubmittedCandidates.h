#pragma once

#include "clang_plugin/FileVersions.h"
#include "feedback/Evidence.h"
#include "feedback/Policy.h"
#include "feedback/agents/Submission.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// One point of a submission as a candidate like any other.
struct SubmittedCandidate {
  std::string name; ///< "TILE=16", or as rewriters name it
  Candidate candidate;
  /// The file with the change in place, whatever becomes of launches; empty for rewriters' candidates, which
  /// need no admission.
  std::string changedText;
  std::string broken; ///< why there is no candidate: a patch that does not fit, a step that is not proposed
};

/// Makes candidates of all points of a submission, for the kernel of the record. An error is a fault of the
/// tool; what is wrong with the submission is in the candidates.
llvm::Expected<std::vector<SubmittedCandidate>> makeCandidates(const agents::Submission &submission,
                                                               FileVersions &versions, const Policy &policy,
                                                               const KernelRecord &record);

} // namespace warpwright
