#include "feedback/agents/ClaimReport.h"
#include "analysis/KernelAnalysis.h"

#include <gtest/gtest.h>

using namespace warpwright;
using namespace warpwright::agents;

namespace {

/// A kernel in whose device code the symbols are arrays in shared memory.
KernelAnalysis kernel(const std::vector<std::string> &symbols) {
  KernelAnalysis analysis;
  for (const std::string &symbol : symbols) {
    analysis.facts.sharedVariables.emplace_back();
    analysis.facts.sharedVariables.back().name = symbol;
    MemoryAccess &access = analysis.facts.accesses.emplace_back();
    access.object = Fact<MemoryObject>::proved({MemoryObject::Kind::SharedVariable, symbol});
  }
  return analysis;
}

const std::string tile = "_ZZ4flipPKfPfiE4tile", tileOfCopy = "_ZZ5flip2PKfPfiE4tile";

CheckedClaim check(Claim claim, const KernelAnalysis &before, const KernelAnalysis &after) {
  SubmittedReason reason;
  reason.claims = {std::move(claim)};
  return checkSubmittedClaims({reason}, before, after).front();
}

TEST(ClaimReport, WhatHeldBeforeExplainsNothing) {
  CheckedClaim gone = check({"no-shared-access", "tile"}, kernel({tile}), kernel({}));
  EXPECT_EQ(gone.verdict.kind, Verdict::Kind::Accepted);
  EXPECT_TRUE(anyBorneOut({gone}));
  CheckedClaim never = check({"no-shared-access", "tile"}, kernel({}), kernel({}));
  EXPECT_EQ(never.verdict.kind, Verdict::Kind::Accepted);
  EXPECT_FALSE(anyBorneOut({never}));
  EXPECT_EQ(toJson({never})[0]["facts"], "it holds of the original, too");
  EXPECT_FALSE(anyBorneOut({check({"parallel-sums", {}, 0}, kernel({}), kernel({}))}));
  EXPECT_EQ(check({"no-shared-access", "tile"}, kernel({tile}), kernel({tile})).verdict.kind,
            Verdict::Kind::Declined);
}

TEST(ClaimReport, AnArrayOfACopyIsNotCounted) {
  CheckedClaim claim = check({"no-shared-access", "tile"}, kernel({tile}), kernel({tileOfCopy}));
  EXPECT_EQ(claim.verdict.kind, Verdict::Kind::Undecided);
  EXPECT_EQ(firstRefuted({claim}), nullptr);
}

} // namespace
