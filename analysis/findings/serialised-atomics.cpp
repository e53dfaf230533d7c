// Atomic operations on one address are done one after the other. Lanes of a warp that meet there wait for
// each other, and so do the warps of the whole grid where the addresses are few.

#include "analysis/findings/SourceAccess.h"

#include <cmath>

namespace warpwright {
namespace {

constexpr const char *id = "serialised-atomics";
constexpr double leastLanes = 2;        ///< lanes an address, where addresses are known
constexpr uint64_t fewAddresses = 4096; ///< of global memory, over the whole grid
constexpr double manyUpdates = 32;      ///< an address, over the whole grid
constexpr double lanes = 32;

/// How many addresses the atomic can reach, when it is data that picks one of a bounded number: `bins[x &
/// 255]`. None where anything unbounded takes part, or the block chooses, too: then each block has addresses
/// of its own.
std::optional<uint64_t> boundedAddresses(const MemoryAccess &fact) {
  if (!fact.offset.known() || fact.bytes == 0)
    return std::nullopt;
  uint64_t reach = 0;
  for (const auto &[monomial, coefficient] : fact.offset.value().terms()) {
    bool scalarOnly =
        llvm::all_of(monomial, [](const Symbol *symbol) { return symbol->kind == SymbolKind::Parameter; });
    if (scalarOnly)
      continue;
    if (monomial.size() != 1 || !monomial.front()->maximum || monomial.front()->mayBeNegative ||
        coefficient < 0)
      return std::nullopt;
    reach += uint64_t(coefficient) * uint64_t(*monomial.front()->maximum);
  }
  return reach / fact.bytes + 1;
}

/// Lanes of a full warp an address, when each picks one of `addresses` with equal chance.
double expectedLanes(double addresses) {
  double reached = addresses * (1 - std::pow(1 - 1 / addresses, lanes));
  return lanes / reached;
}

/// ptxas combines the lanes of a warp first where all of them meet in one address that the code fixes, by a
/// vote and a reduction over the warp: seen in nvcc 13.0's code for sm_90 for sums, minima, maxima and
/// bitwise operations of 32-bit integers, in global and in shared memory; not for increments, exchanges,
/// floats and 64 bits.
bool isAggregated(const SourceAccess &access) {
  const MemoryAccess *fact = access.fact;
  if (!fact || fact->resultUsed || fact->elementType != "i32" || !fact->uniform.known() ||
      !fact->uniform.value())
    return false;
  switch (fact->combine) {
  case CombineKind::Sum:
  case CombineKind::Min:
  case CombineKind::Max:
  case CombineKind::And:
  case CombineKind::Or:
  case CombineKind::Xor:
    return true;
  default:
    return false;
  }
}

Finding start(const SourceAccess &access) {
  Finding finding;
  finding.id = id;
  finding.place = access.place;
  finding.advice =
      access.space == simt::AccessSpace::Shared
          ? "combine within the warp first (shuffles, __reduce_add_sync, or a copy of the bins a warp)"
          : "combine within the block first (shuffles, or bins in shared memory) and let one thread add "
            "each result to global memory";
  return finding;
}

Finding describeCounted(const SourceAccess &access, const LaunchEvaluation &evaluation) {
  double together = double(access.tally.bytes) / double(access.tally.distinctBytes);
  Finding finding = start(access);
  finding.message = access.describe() + " brings " + shortNumber(together) +
                    " lanes of a warp to one address, " + "which are served in turn (" + evaluation.label +
                    ")";
  finding.evidence = {{"requests", double(access.tally.requests)},
                      {"lanes", double(access.tally.lanes)},
                      {"lanes per address", together}};
  finding.confidence = access.confidence(0.85, evaluation);
  return finding;
}

Finding describeBounded(const SourceAccess &access, uint64_t addresses, const LaunchEvaluation &evaluation) {
  double updates = double(access.tally.lanes) / double(addresses);
  Finding finding = start(access);
  finding.message = access.describe() + " spreads " + shortNumber(double(access.tally.lanes)) +
                    " updates over at most " + std::to_string(addresses) + " addresses, " +
                    shortNumber(updates) + " for each at best (" + evaluation.label + ")";
  finding.evidence = {{"updates", double(access.tally.lanes)},
                      {"addresses", double(addresses)},
                      {"updates per address", updates},
                      {"lanes per address, if all are as likely", expectedLanes(double(addresses))}};
  finding.confidence = confidenceOf(0.75, evaluation, simt::CountGrade::Exact);
  return finding;
}

std::optional<Finding> judge(const SourceAccess &access, const LaunchEvaluation &evaluation) {
  if (access.grade == simt::CountGrade::Unknown)
    return std::nullopt;
  if (access.addressIsCounted()) {
    bool meet = !isAggregated(access) &&
                double(access.tally.bytes) >= leastLanes * double(access.tally.distinctBytes);
    return meet ? std::optional(describeCounted(access, evaluation)) : std::nullopt;
  }
  std::optional<uint64_t> addresses = access.fact ? boundedAddresses(*access.fact) : std::nullopt;
  if (!addresses)
    return std::nullopt;
  bool warpMeets = *addresses<lanes &&double(access.tally.lanes)> double(access.tally.requests);
  bool gridMeets = access.space == simt::AccessSpace::Global && *addresses <= fewAddresses &&
                   double(access.tally.lanes) >= manyUpdates * double(*addresses);
  if (!warpMeets && !gridMeets)
    return std::nullopt;
  return describeBounded(access, *addresses, evaluation);
}

} // namespace

std::vector<Finding> findSerialisedAtomics(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  if (analysis.launches.empty())
    return findings;
  const LaunchEvaluation &main = analysis.launches.front();
  for (const SourceAccess &access : sourceAccesses(analysis, main))
    if (access.kind == simt::AccessKind::Atomic && access.tally.distinctBytes != 0)
      if (std::optional<Finding> finding = judge(access, main))
        findings.push_back(std::move(*finding));
  return findings;
}

} // namespace warpwright
