#pragma once

#include "rewriters/Verdict.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <string>

namespace warpwright {

struct KernelAnalysis;

/// What a candidate says of its result, as a value that the facts of the result can bear out. A reason is for
/// people; this is what is held against it.
struct Claim {
  std::string id;      ///< a row of Claims.def
  std::string subject; ///< what it is about: a symbol, a parameter; empty where the row names none
  int64_t value = 0;   ///< a number where the row has one
};

/// A row of Claims.def.
struct ClaimInfo {
  llvm::StringLiteral id;
  llvm::StringLiteral text;
  /// Accepted where the facts of the rewritten kernel bear the claim out, declined where they contradict it,
  /// undecided where they are too few.
  Verdict (*check)(const Claim &claim, const KernelAnalysis &original, const KernelAnalysis &rewritten);
};

/// Every kind of claim, sorted by id.
llvm::ArrayRef<ClaimInfo> claimKinds();

/// The claim as a sentence.
std::string toString(const Claim &claim);

/// Holds the facts of the rewritten kernel against all claims. The first that is not borne out is the reason;
/// its stage is "claims". A claim without a row is never borne out.
Verdict checkClaims(llvm::ArrayRef<Claim> claims, const KernelAnalysis &original,
                    const KernelAnalysis &rewritten);

} // namespace warpwright
