#include "rewriters/Claim.h"

#include "analysis/KernelAnalysis.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/FormatVariadic.h>

#include <set>
#include <tuple>

namespace warpwright {
namespace {

constexpr const char *stage = "claims";

Verdict borneOut() {
  return {Verdict::Kind::Accepted, stage, {}};
}
Verdict refuted(std::string facts) {
  return {Verdict::Kind::Declined, stage, std::move(facts)};
}
Verdict unknown(std::string why) {
  return {Verdict::Kind::Undecided, stage, std::move(why)};
}

Verdict fewerBankConflicts(const Claim &claim, const KernelAnalysis &original,
                           const KernelAnalysis &rewritten) {
  std::optional<ConflictDegree> before = original.conflictsOf(claim.subject);
  std::optional<ConflictDegree> after = rewritten.conflictsOf(claim.subject);
  if (!before || !after)
    return unknown("no launch is known, so nothing can be counted");
  if (after->requests == 0)
    return refuted("no access to it was found");
  if (after->conflicts < before->conflicts)
    return borneOut();
  return refuted(llvm::formatv("{0} conflicts before, {1} after", before->conflicts, after->conflicts));
}

Verdict asynchronousCopies(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  auto copies = [](const KernelAnalysis &analysis) {
    return llvm::count_if(analysis.facts.accesses,
                          [](const MemoryAccess &access) { return access.instruction == "cp.async"; });
  };
  if (copies(rewritten) > copies(original))
    return borneOut();
  return refuted(
      llvm::formatv("{0} copies in the device code before, {1} after", copies(original), copies(rewritten)));
}

uint64_t barriersIn(const KernelAnalysis &analysis) {
  return analysis.launches.front()
      .counters.instructions.warp[static_cast<size_t>(simt::InstructionClass::Barrier)];
}

Verdict fewerBarriers(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  uint64_t before = barriersIn(original), after = barriersIn(rewritten);
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("{0} before, {1} after", before, after));
}

Verdict fewerBranches(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  size_t before = original.facts.branches.size(), after = rewritten.facts.branches.size();
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("{0} in the device code before, {1} after", before, after));
}

uint64_t globalAtomicsIn(const KernelAnalysis &analysis) {
  return analysis.launches.front().counters.total(simt::AccessKind::Atomic, simt::AccessSpace::Global).lanes;
}

Verdict fewerGlobalAtomics(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  uint64_t before = globalAtomicsIn(original), after = globalAtomicsIn(rewritten);
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("{0} before, {1} after", before, after));
}

uint64_t globalRequestsIn(const KernelAnalysis &analysis) {
  const simt::LaunchCounters &counters = analysis.launches.front().counters;
  return counters.total(simt::AccessKind::Load, simt::AccessSpace::Global).requests +
         counters.total(simt::AccessKind::Store, simt::AccessSpace::Global).requests;
}

Verdict fewerGlobalRequests(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  uint64_t before = globalRequestsIn(original), after = globalRequestsIn(rewritten);
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("{0} before, {1} after", before, after));
}

Verdict fewerSharedPasses(const Claim &claim, const KernelAnalysis &original,
                          const KernelAnalysis &rewritten) {
  std::optional<ConflictDegree> before = original.conflictsOf(claim.subject);
  std::optional<ConflictDegree> after = rewritten.conflictsOf(claim.subject);
  if (!before || !after)
    return unknown("no launch is known, so nothing can be counted");
  if (after->wavefronts < before->wavefronts)
    return borneOut();
  return refuted(llvm::formatv("{0} before, {1} after", before->wavefronts, after->wavefronts));
}

Verdict noSharedAccess(const Claim &claim, const KernelAnalysis &, const KernelAnalysis &rewritten) {
  for (const MemoryAccess &access : rewritten.facts.accesses)
    if (access.object.known() && access.object.value().kind == MemoryObject::Kind::SharedVariable &&
        access.object.value().name == claim.subject)
      return refuted("it is accessed at line " + std::to_string(access.place.place.line));
  return borneOut();
}

size_t readOnlyLoadsIn(const KernelFacts &facts) {
  return llvm::count_if(facts.accesses, [](const MemoryAccess &access) { return access.cacheHint == "nc"; });
}

Verdict readOnlyLoads(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  size_t before = readOnlyLoadsIn(original.facts), after = readOnlyLoadsIn(rewritten.facts);
  if (after > before)
    return borneOut();
  return refuted(llvm::formatv("{0} in the device code before, {1} after", before, after));
}

unsigned shufflesIn(const KernelFacts &facts) {
  return llvm::count_if(facts.synchronisations, [](const Synchronisation &operation) {
    return operation.kind == Synchronisation::Kind::Shuffle;
  });
}

Verdict usesShuffles(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (shufflesIn(rewritten.facts) > shufflesIn(original.facts))
    return borneOut();
  return refuted("the device code holds no more of them than before");
}

/// Operations and calls; a division by a double literal, say, is one of the former.
unsigned doubleOperations(const KernelFacts &facts) {
  unsigned count = 0;
  for (const ArithmeticCounts &arithmetic : facts.arithmetic)
    count += arithmetic.fp64;
  for (const SpecialFunction &function : facts.specialFunctions)
    count += function.type == "double";
  return count;
}

Verdict fewerDoubleOperations(const Claim &, const KernelAnalysis &original,
                              const KernelAnalysis &rewritten) {
  unsigned before = doubleOperations(original.facts);
  unsigned after = doubleOperations(rewritten.facts);
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("{0} in the text before, {1} after", before, after));
}

Verdict sameNumber(std::optional<unsigned> found, int64_t claimed) {
  if (found && *found == claimed)
    return borneOut();
  return refuted(found ? "it says " + std::to_string(*found) : std::string("it has no such bound"));
}

uint64_t globalSectors(const LaunchEvaluation &evaluation) {
  using enum simt::AccessKind;
  uint64_t sectors = 0;
  for (simt::AccessKind kind : {Load, Store, Atomic})
    sectors += evaluation.counters.total(kind, simt::AccessSpace::Global).sectors;
  return sectors;
}

Verdict fewerSectors(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  uint64_t before = globalSectors(original.launches.front()),
           after = globalSectors(rewritten.launches.front());
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("{0} sectors before, {1} after", before, after));
}

Verdict fewerBlocks(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known");
  uint64_t before = original.launches.front().launch.grid.count();
  uint64_t after = rewritten.launches.front().launch.grid.count();
  return after < before ? borneOut() : refuted(llvm::formatv("{0} blocks before, {1} after", before, after));
}

Verdict launchBound(const Claim &claim, const KernelAnalysis &, const KernelAnalysis &rewritten) {
  return sameNumber(rewritten.facts.maxThreads, claim.value);
}

Verdict residentBlocks(const Claim &claim, const KernelAnalysis &, const KernelAnalysis &rewritten) {
  return sameNumber(rewritten.facts.minBlocks, claim.value);
}

Verdict restrictedParameter(const Claim &claim, const KernelAnalysis &, const KernelAnalysis &rewritten) {
  for (const ParameterFacts &parameter : rewritten.facts.parameters)
    if (parameter.name == claim.subject)
      return parameter.restricted ? borneOut() : refuted("it does not");
  return refuted("there is no such parameter");
}

unsigned approximateCallsIn(const KernelFacts &facts) {
  return llvm::count_if(facts.specialFunctions,
                        [](const SpecialFunction &function) { return function.approximate; });
}

/// What divisions take, by their width and by how deep in loops they are. Quotient and remainder of the same
/// numbers are one.
uint64_t divisionCost(const KernelFacts &facts) {
  std::set<std::tuple<std::optional<unsigned>, unsigned, bool, std::string>> divisions;
  for (const IntegerDivision &division : facts.divisions)
    if (division.divisor != IntegerDivision::Divisor::Constant)
      divisions.emplace(division.loop, division.bits, division.isSigned, division.divisorText);
  uint64_t cost = 0;
  for (const auto &[loop, bits, isSigned, divisor] : divisions) {
    constexpr unsigned deepest = 8;
    unsigned depth = loop ? std::min(facts.loops[*loop].depth, deepest) : 0;
    cost += (bits > 32 ? 5 : 1) * (uint64_t(1) << (4 * depth));
  }
  return cost;
}

Verdict cheaperDivisions(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  uint64_t before = divisionCost(original.facts), after = divisionCost(rewritten.facts);
  if (after < before)
    return borneOut();
  return refuted(llvm::formatv("weighed {0} before, {1} after", before, after));
}

/// Calls that the compiler merges are one in the device code.
Verdict approximateFunctions(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  unsigned before = approximateCallsIn(original.facts), after = approximateCallsIn(rewritten.facts);
  if (after > before)
    return borneOut();
  return refuted(llvm::formatv("{0} before, {1} after", before, after));
}

Verdict parallelSums(const Claim &claim, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  size_t before = original.facts.reductions.size(), after = rewritten.facts.reductions.size();
  if (static_cast<int64_t>(after) >= static_cast<int64_t>(before) + claim.value - 1)
    return borneOut();
  return refuted(llvm::formatv("{0} reductions before, {1} after", before, after));
}

simt::AccessTally globalTally(const KernelAnalysis &analysis) {
  simt::AccessTally sum;
  for (simt::AccessKind kind : {simt::AccessKind::Load, simt::AccessKind::Store, simt::AccessKind::Atomic})
    sum += analysis.launches.front().counters.total(kind, simt::AccessSpace::Global);
  return sum;
}

Verdict coalesced(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  simt::AccessTally before = globalTally(original), after = globalTally(rewritten);
  if (double(after.sectors) * double(before.idealSectors) <
      double(before.sectors) * double(after.idealSectors))
    return borneOut();
  return refuted(llvm::formatv("{0} sectors where {1} would do before, {2} where {3} would do after",
                               before.sectors, before.idealSectors, after.sectors, after.idealSectors));
}

Verdict vectorised(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  simt::AccessTally before = globalTally(original), after = globalTally(rewritten);
  auto width = [](const simt::AccessTally &tally) {
    return tally.lanes == 0 ? 0.0 : double(tally.bytes) / double(tally.lanes);
  };
  if (width(after) > width(before))
    return borneOut();
  return refuted(
      llvm::formatv("{0:F1} bytes a lane and access before, {1:F1} after", width(before), width(after)));
}

Verdict usesSharedMemory(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  auto accesses = [](const KernelAnalysis &analysis) {
    return llvm::count_if(analysis.facts.accesses,
                          [](const MemoryAccess &access) { return access.space == MemorySpace::Shared; });
  };
  if (accesses(rewritten) > accesses(original))
    return borneOut();
  return refuted(llvm::formatv("{0} accesses to shared memory in the device code before, {1} after",
                               accesses(original), accesses(rewritten)));
}

Verdict fewerInstructions(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (original.launches.empty() || rewritten.launches.empty())
    return unknown("no launch is known, so nothing can be counted");
  auto issued = [](const KernelAnalysis &analysis) {
    uint64_t sum = 0;
    for (uint64_t count : analysis.launches.front().counters.instructions.warp)
      sum += count;
    return sum;
  };
  uint64_t before = issued(original), after = issued(rewritten);
  return after < before ? borneOut() : refuted(llvm::formatv("{0} before, {1} after", before, after));
}

/// What ptxas says is known only once nvcc compiled both.
constexpr llvm::StringLiteral noResources = "nvcc's figures are not known";

Verdict fewerRegisters(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (!original.resources || !rewritten.resources)
    return unknown(noResources.str());
  unsigned before = original.resources->registers, after = rewritten.resources->registers;
  return after < before ? borneOut() : refuted(llvm::formatv("{0} before, {1} after", before, after));
}

Verdict higherOccupancy(const Claim &, const KernelAnalysis &original, const KernelAnalysis &rewritten) {
  if (!original.occupancy || !rewritten.occupancy)
    return unknown(noResources.str());
  unsigned before = original.occupancy->residentWarps, after = rewritten.occupancy->residentWarps;
  return after > before ? borneOut() : refuted(llvm::formatv("{0} warps before, {1} after", before, after));
}

Verdict noSpills(const Claim &, const KernelAnalysis &, const KernelAnalysis &rewritten) {
  if (!rewritten.resources)
    return unknown(noResources.str());
  if (!rewritten.resources->spills())
    return borneOut();
  return refuted(llvm::formatv("{0} bytes are stored and {1} loaded",
                               rewritten.resources->local.spillStoreBytes,
                               rewritten.resources->local.spillLoadBytes));
}

constexpr ClaimInfo claimTable[] = {
#define WARPWRIGHT_CLAIM(id, check, text) {id, text, check},
#include "rewriters/Claims.def"
};

const ClaimInfo *findKind(llvm::StringRef id) {
  auto found = llvm::find_if(claimTable, [&](const ClaimInfo &kind) { return kind.id == id; });
  return found == std::end(claimTable) ? nullptr : &*found;
}

} // namespace

llvm::ArrayRef<ClaimInfo> claimKinds() {
  return claimTable;
}

std::string toString(const Claim &claim) {
  const ClaimInfo *kind = findKind(claim.id);
  return kind ? llvm::formatv(false, kind->text.data(), llvm::demangle(claim.subject), claim.value).str()
              : claim.id;
}

Verdict checkClaims(llvm::ArrayRef<Claim> claims, const KernelAnalysis &original,
                    const KernelAnalysis &rewritten) {
  for (const Claim &claim : claims) {
    const ClaimInfo *kind = findKind(claim.id);
    Verdict verdict = kind ? kind->check(claim, original, rewritten) : refuted("nothing checks such a claim");
    if (verdict.kind == Verdict::Kind::Accepted)
      continue;
    bool declined = verdict.kind == Verdict::Kind::Declined;
    verdict.reason = std::string("a claim ") + (declined ? "is not borne out" : "cannot be checked") + ": " +
                     toString(claim) + "; " + verdict.reason;
    return verdict;
  }
  return borneOut();
}

} // namespace warpwright
