#pragma once

#include "feedback/agents/Submission.h"
#include "rewriters/Verdict.h"

namespace warpwright {
struct KernelAnalysis;
}

namespace warpwright::agents {

/// One claim of a submission, held against the facts and ptxas' figures of the result.
struct CheckedClaim {
  size_t reason = 0; ///< position among the submission's reasons
  Claim claim;
  Verdict verdict;
  bool heldBefore = false; ///< the original bears it out, too: it is true, and explains nothing
};

/// All claims of all reasons. Every one is checked, on the first architecture: unlike a rewriter's, a claim
/// from outside may be about ptxas, so that this comes after it. A claim that nothing checks is undecided.
std::vector<CheckedClaim> checkSubmittedClaims(llvm::ArrayRef<SubmittedReason> reasons,
                                               const KernelAnalysis &original,
                                               const KernelAnalysis &rewritten);

/// The first that the facts contradict, or null.
const CheckedClaim *firstRefuted(llvm::ArrayRef<CheckedClaim> claims);
/// Whether a claim shows in the facts that did not hold of the original: else a gain has no known cause, and
/// is recorded as unexplained.
bool anyBorneOut(llvm::ArrayRef<CheckedClaim> claims);

nlohmann::ordered_json toJson(llvm::ArrayRef<CheckedClaim> claims);

} // namespace warpwright::agents
