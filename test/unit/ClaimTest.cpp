#include "rewriters/Claim.h"
#include "analysis/KernelAnalysis.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

KernelAnalysis kernel() {
  KernelAnalysis analysis;
  analysis.facts.parameters.push_back({});
  analysis.facts.parameters.back().name = "p";
  return analysis;
}

/// "accepted", or the verdict and its reason.
std::string check(const Claim &claim, const KernelAnalysis &before, const KernelAnalysis &after) {
  Verdict verdict = checkClaims({claim}, before, after);
  EXPECT_EQ(verdict.stage, "claims");
  if (verdict.kind == Verdict::Kind::Accepted)
    return "accepted";
  return std::string(toString(verdict.kind)) + ": " + verdict.reason;
}

TEST(Claim, KindsAreSortedAndSpokenFor) {
  std::string last;
  for (const ClaimInfo &kind : claimKinds()) {
    EXPECT_LT(last, kind.id.str());
    last = kind.id.str();
    EXPECT_NE(toString(Claim{last, "p", 3}), last);
  }
}

TEST(Claim, RestrictShowsInTheDeviceCode) {
  KernelAnalysis restricted = kernel();
  restricted.facts.parameters.back().restricted = true;
  EXPECT_EQ(check({"restricted-parameter", "p"}, kernel(), restricted), "accepted");
  EXPECT_EQ(check({"restricted-parameter", "p"}, kernel(), kernel()),
            "declined: a claim is not borne out: the device code knows that nothing else leads to what 'p' "
            "points to; it "
            "does not");
  EXPECT_EQ(check({"restricted-parameter", "q"}, kernel(), restricted),
            "declined: a claim is not borne out: the device code knows that nothing else leads to what 'q' "
            "points to; "
            "there is no such parameter");
}

/// A launch in which warps wait at so many barriers, send so many requests and do so many atomics.
KernelAnalysis counted(uint64_t barriers, uint64_t requests, uint64_t atomics) {
  KernelAnalysis analysis = kernel();
  analysis.launches.emplace_back();
  simt::LaunchCounters &counters = analysis.launches.back().counters;
  counters.instructions.warp[static_cast<size_t>(simt::InstructionClass::Barrier)] = barriers;
  counters.accesses.emplace_back();
  counters.accesses.back().tally.requests = requests;
  counters.accesses.emplace_back();
  counters.accesses.back().kind = simt::AccessKind::Atomic;
  counters.accesses.back().tally.lanes = atomics;
  return analysis;
}

TEST(Claim, WhatIsCountedFalls) {
  KernelAnalysis more = counted(9, 40, 256), less = counted(1, 10, 1);
  for (const char *claim : {"fewer-barriers", "fewer-global-atomics", "fewer-global-requests"}) {
    EXPECT_EQ(check({claim, {}}, more, less), "accepted");
    EXPECT_EQ(check({claim, {}}, less, less).substr(0, 8), "declined");
    EXPECT_EQ(check({claim, {}}, kernel(), kernel()).substr(0, 9), "undecided");
  }
}

TEST(Claim, ShufflesAndSumsShowInTheDeviceCode) {
  KernelAnalysis after = kernel();
  after.facts.synchronisations.emplace_back();
  after.facts.synchronisations.back().kind = Synchronisation::Kind::Shuffle;
  after.facts.reductions.resize(4);
  EXPECT_EQ(check({"uses-shuffles", {}}, kernel(), after), "accepted");
  EXPECT_EQ(check({"uses-shuffles", {}}, after, after).substr(0, 8), "declined");
  EXPECT_EQ(check({"parallel-sums", {}, 4}, kernel(), after), "accepted");
  EXPECT_EQ(check({"parallel-sums", {}, 4}, after, after),
            "declined: a claim is not borne out: 4 numbers are gathered side by side; 4 reductions before, 4 "
            "after");
}

TEST(Claim, BoundsAreTheOnesClaimed) {
  KernelAnalysis bounded = kernel();
  bounded.facts.maxThreads = 128;
  bounded.facts.minBlocks = 4;
  EXPECT_EQ(check({"launch-bound", {}, 128}, kernel(), bounded), "accepted");
  EXPECT_EQ(check({"resident-blocks", {}, 4}, kernel(), bounded), "accepted");
  EXPECT_EQ(
      check({"launch-bound", {}, 256}, kernel(), bounded),
      "declined: a claim is not borne out: the device code is bounded to 256 threads a block; it says 128");
  EXPECT_EQ(check({"launch-bound", {}, 128}, kernel(), kernel()),
            "declined: a claim is not borne out: the device code is bounded to 128 threads a block; it has "
            "no such bound");
}

TEST(Claim, DoubleOperationsBecomeFewer) {
  KernelAnalysis before = kernel(), after = kernel();
  before.facts.arithmetic.push_back({});
  before.facts.arithmetic.back().fp64 = 2;
  before.facts.specialFunctions.push_back({{}, {}, "erf", "double"});
  after.facts.specialFunctions.push_back({{}, {}, "erff", "float"});
  EXPECT_EQ(check({"fewer-double-operations", {}}, before, after), "accepted");
  EXPECT_EQ(check({"fewer-double-operations", {}}, before, before),
            "declined: a claim is not borne out: fewer operations are done in double; 3 in the text before, "
            "3 after");
}

TEST(Claim, ConflictsNeedALaunchToBeCounted) {
  EXPECT_EQ(check({"fewer-bank-conflicts", "tile"}, kernel(), kernel()),
            "undecided: a claim cannot be checked: accesses to 'tile' collide less; no launch is known, so "
            "nothing can be "
            "counted");
}

TEST(Claim, WhatNothingChecksIsNotBorneOut) {
  EXPECT_EQ(check({"twice-as-fast", {}}, kernel(), kernel()),
            "declined: a claim is not borne out: twice-as-fast; nothing checks such a claim");
}

TEST(Claim, AllOfASetMustHold) {
  KernelAnalysis bounded = kernel();
  bounded.facts.maxThreads = 128;
  EXPECT_EQ(checkClaims({}, kernel(), bounded).kind, Verdict::Kind::Accepted);
  EXPECT_EQ(checkClaims({{"launch-bound", {}, 128}, {"resident-blocks", {}, 2}}, kernel(), bounded).kind,
            Verdict::Kind::Declined);
}

TEST(Claim, WhatPtxasSaysIsKnownOnlyWithNvcc) {
  KernelAnalysis before = kernel(), after = kernel();
  EXPECT_EQ(
      check({"fewer-registers", {}}, before, after),
      "undecided: a claim cannot be checked: ptxas gives a thread fewer registers; nvcc's figures are not "
      "known");
  before.resources.emplace().registers = 40;
  after.resources.emplace().registers = 32;
  EXPECT_EQ(check({"fewer-registers", {}}, before, after), "accepted");
  EXPECT_EQ(check({"no-spills", {}}, before, after), "accepted");
  after.resources->local.spillLoadBytes = 8;
  EXPECT_EQ(check({"no-spills", {}}, before, after),
            "declined: a claim is not borne out: ptxas spills nothing; 0 bytes are stored and 8 loaded");
  EXPECT_EQ(check({"fewer-registers", {}}, after, before),
            "declined: a claim is not borne out: ptxas gives a thread fewer registers; 32 before, 40 after");
}

TEST(Claim, WidthsAndCoalescingAreCounted) {
  auto counted = [](uint64_t lanes, uint64_t bytes, uint64_t sectors, uint64_t ideal) {
    KernelAnalysis analysis = kernel();
    simt::AccessCounters access;
    access.tally.lanes = lanes;
    access.tally.bytes = bytes;
    access.tally.sectors = sectors;
    access.tally.idealSectors = ideal;
    analysis.launches.emplace_back().counters.accesses.push_back(access);
    return analysis;
  };
  EXPECT_EQ(check({"vectorised", {}}, counted(4, 16, 8, 8), counted(1, 16, 8, 8)), "accepted");
  EXPECT_EQ(
      check({"vectorised", {}}, counted(4, 16, 8, 8), counted(4, 16, 4, 4)),
      "declined: a claim is not borne out: lanes access more bytes of global memory at a time; 4.0 bytes a "
      "lane and access before, 4.0 after");
  EXPECT_EQ(check({"coalesced", {}}, counted(4, 16, 32, 4), counted(4, 16, 4, 4)), "accepted");
  EXPECT_EQ(
      check({"coalesced", {}}, counted(4, 16, 4, 4), counted(2, 8, 2, 2)),
      "declined: a claim is not borne out: global accesses of the main launch touch fewer sectors beyond "
      "those that their bytes fill; 4 sectors where 4 would do before, 2 where 2 would do after");
}

} // namespace
