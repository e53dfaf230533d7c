// A warp that reads or writes one run of bytes from an address that is no multiple of 32 takes one sector
// more than the run fills. That is 5 instead of 4 for 4-byte elements: small, but it is paid on every request
// and often for nothing.

#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "misaligned-access";
/// Extra sectors below a tenth are not worth a word; above a quarter the access is uncoalesced-access's.
constexpr double leastExtra = 1.1;
constexpr double mostExtra = 1.25;

/// Reads of the same row at other constant offsets: the window of a stencil cannot be aligned for all of its
/// members, and what one misses another brings into the cache.
bool isPartOfWindow(const KernelAnalysis &analysis, const MemoryAccess &fact) {
  if (!fact.object.known() || !fact.offset.known())
    return false;
  return llvm::any_of(analysis.facts.accesses, [&](const MemoryAccess &other) {
    if (other.id == fact.id || !other.object.known() || !other.offset.known() || other.kind != fact.kind ||
        !(other.object.value() == fact.object.value()))
      return false;
    Expression distance = other.offset.value() - fact.offset.value();
    return !distance.isZero() && !distance.mentions([](const Symbol &symbol) {
      return symbol.kind == SymbolKind::ThreadIndex || symbol.variesByThread();
    });
  });
}

/// A loop that moves the address by less than a sector walks a window, too.
bool slidesInLoop(const MemoryAccess &fact) {
  return llvm::any_of(fact.loopCoefficients, [](const MemoryAccess::LoopCoefficient &coefficient) {
    std::optional<int64_t> step =
        coefficient.bytes.known() ? coefficient.bytes.value().asConstant() : std::nullopt;
    return step && *step % 32 != 0;
  });
}

Finding describe(const SourceAccess &access, const LaunchEvaluation &evaluation) {
  Finding finding;
  finding.id = id;
  finding.place = access.place;
  finding.message = access.describe() +
                    " starts off a 32-byte sector: " + shortNumber(access.perRequest(access.tally.sectors)) +
                    " sectors a request instead of " +
                    shortNumber(access.perRequest(access.tally.idealSectors)) + " (" + evaluation.label + ")";
  finding.evidence = {{"requests", double(access.tally.requests)},
                      {"misaligned requests", double(access.tally.shiftedRequests)},
                      {"sectors", double(access.tally.sectors)},
                      {"ideal sectors", double(access.tally.idealSectors)}};
  // The neighbouring warp asks for the other half of the split sector, and often finds it in the cache.
  finding.confidence = access.confidence(access.kind == simt::AccessKind::Load ? 0.5 : 0.6, evaluation);
  finding.advice =
      "begin at a multiple of 32 bytes: pad the row pitch, shift the array, or let the first threads idle so "
      "that a warp starts on a sector";
  return finding;
}

} // namespace

std::vector<Finding> findMisalignedAccesses(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  if (analysis.launches.empty())
    return findings;
  const LaunchEvaluation &main = analysis.launches.front();
  for (const SourceAccess &access : sourceAccesses(analysis, main)) {
    if (access.space != simt::AccessSpace::Global || access.kind == simt::AccessKind::Atomic ||
        !access.addressIsCounted())
      continue;
    double ratio = double(access.tally.sectors) / double(access.tally.idealSectors);
    if (ratio < leastExtra || ratio > mostExtra || 2 * access.tally.shiftedRequests < access.tally.requests)
      continue;
    if (access.fact && (isPartOfWindow(analysis, *access.fact) || slidesInLoop(*access.fact)))
      continue;
    findings.push_back(describe(access, main));
  }
  return findings;
}

} // namespace warpwright
