#include "feedback/agents/ClaimReport.h"

#include "analysis/KernelAnalysis.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>

namespace warpwright::agents {
namespace {

const ClaimInfo *findKind(llvm::StringRef id) {
  const auto *found = llvm::find_if(claimKinds(), [&](const ClaimInfo &kind) { return kind.id == id; });
  return found == claimKinds().end() ? nullptr : found;
}

/// A shared array by its name in the source: facts know it by its symbol. Empty: there is none of the name.
std::string symbolOf(const Claim &claim, const KernelAnalysis &kernel) {
  for (const SharedVariable &variable : kernel.facts.sharedVariables)
    if (llvm::StringRef(llvm::demangle(variable.name)).ends_with("::" + claim.subject))
      return variable.name;
  return {};
}

CheckedClaim check(size_t reason, const Claim &claim, const KernelAnalysis &original,
                   const KernelAnalysis &rewritten) {
  CheckedClaim checked{reason, claim, {Verdict::Kind::Undecided, "claims", {}}, false};
  const ClaimInfo *kind = findKind(claim.id);
  const std::string before = symbolOf(claim, original), after = symbolOf(claim, rewritten);
  if (!kind) {
    checked.verdict.reason = "nothing checks '" + claim.id + "'";
  } else if (!before.empty() && !after.empty() && before != after) {
    // A check knows one symbol, and would count nothing of it on the other side.
    checked.verdict.reason = "the array of the copy that is launched is another symbol than the original's";
  } else {
    Claim known = claim;
    known.subject = !before.empty() ? before : !after.empty() ? after : claim.subject;
    checked.verdict = kind->check(known, original, rewritten);
    checked.heldBefore = checked.verdict.kind == Verdict::Kind::Accepted &&
                         kind->check(known, original, original).kind == Verdict::Kind::Accepted;
  }
  return checked;
}

} // namespace

std::vector<CheckedClaim> checkSubmittedClaims(llvm::ArrayRef<SubmittedReason> reasons,
                                               const KernelAnalysis &original,
                                               const KernelAnalysis &rewritten) {
  std::vector<CheckedClaim> checked;
  for (size_t i = 0; i < reasons.size(); ++i)
    for (const Claim &claim : reasons[i].claims)
      checked.push_back(check(i, claim, original, rewritten));
  return checked;
}

const CheckedClaim *firstRefuted(llvm::ArrayRef<CheckedClaim> claims) {
  const auto *found = llvm::find_if(
      claims, [](const CheckedClaim &claim) { return claim.verdict.kind == Verdict::Kind::Declined; });
  return found == claims.end() ? nullptr : found;
}

bool anyBorneOut(llvm::ArrayRef<CheckedClaim> claims) {
  return llvm::any_of(claims, [](const CheckedClaim &claim) {
    return claim.verdict.kind == Verdict::Kind::Accepted && !claim.heldBefore;
  });
}

nlohmann::ordered_json toJson(llvm::ArrayRef<CheckedClaim> claims) {
  auto list = nlohmann::ordered_json::array();
  for (const CheckedClaim &claim : claims) {
    nlohmann::ordered_json entry = {{"reason", claim.reason}, {"claim", claim.claim.id}};
    if (!claim.claim.subject.empty())
      entry["subject"] = claim.claim.subject;
    entry["verdict"] = claim.verdict.kind == Verdict::Kind::Accepted   ? "borne out"
                       : claim.verdict.kind == Verdict::Kind::Declined ? "false"
                                                                       : "unknown";
    if (!claim.verdict.reason.empty())
      entry["facts"] = claim.verdict.reason;
    else if (claim.heldBefore)
      entry["facts"] = "it holds of the original, too";
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace warpwright::agents
