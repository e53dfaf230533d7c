// Threads of a block that read the same elements of global memory, again and again, each send a request for
// them. Shared memory holds such elements for the block after one read. The rule evaluates the addresses of
// one block of the main launch and compares what its threads ask for with what is distinct.

#include "analysis/findings/BlockAddresses.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "no-reuse-staging";
constexpr double leastSharing = 2; ///< threads of the block that read an element
/// How many times fewer bytes the launch must read once everything that can be is staged. The first-level
/// cache delivers about twice what the second one does, so it hides what is read up to twice.
constexpr double leastGain = 2;

/// Accesses whose offsets differ by what no thread and no loop changes: the members of one window.
std::string windowKey(const MemoryAccess &access) {
  Expression moving;
  for (const auto &[monomial, coefficient] : access.offset.value().terms()) {
    bool moves = llvm::any_of(monomial, [](const Symbol *symbol) {
      return symbol->variesByThread() || symbol->kind == SymbolKind::LoopCounter || !symbol->loops.empty();
    });
    if (!moves)
      continue;
    Expression term(coefficient);
    for (const Symbol *symbol : monomial)
      term = term * Expression(symbol);
    moving = moving + term;
  }
  return access.object.value().name + "/" + std::to_string(access.bytes) + "/" + moving.text();
}

/// A read that shared memory could serve: plain, of an object and an offset that are known, and not made once
/// a block.
bool isCandidate(const MemoryAccess &access) {
  return access.kind == AccessKind::Read && access.space == MemorySpace::Global && !access.isVolatile &&
         access.object.known() && access.offset.known() && !access.dataDependent && access.bytes != 0 &&
         !(access.uniform.known() && access.uniform.value()) && access.singleThreadSections.empty() &&
         access.instruction != "cp.async";
}

uint64_t lanesOf(const LaunchEvaluation &launch, const MemoryAccess &access) {
  return accessesAt(launch, access.place.place).lanes;
}

/// Not a read that a condition leaves to few threads, as that of a tile's border is: its address says nothing
/// of what the others ask for. Other accesses of the same loop tell how many threads come there.
bool runsInMostThreads(const KernelAnalysis &analysis, const LaunchEvaluation &launch,
                       const MemoryAccess &access) {
  if (!access.divergentControl)
    return true;
  uint64_t most = 0;
  for (const MemoryAccess &other : analysis.facts.accesses)
    if (other.loop == access.loop)
      most = std::max(most, lanesOf(launch, other));
  return 2 * lanesOf(launch, access) > most;
}

/// Reads of one place again: in a loop that moves them, or as a window of neighbours.
bool isRepeated(llvm::ArrayRef<const MemoryAccess *> group) {
  return group.size() > 1 || (group.front()->loop && !group.front()->invariantInLoop);
}

double confidence(llvm::ArrayRef<const MemoryAccess *> group, double sharing,
                  const LaunchEvaluation &evaluation) {
  // A window of a few neighbours is small, and the first-level cache serves most of it. A loop that streams
  // through an operand drives it out and pays the requests besides.
  double sure = !group.front()->loop ? 0.4 : sharing >= 8 ? 0.7 : 0.5;
  return confidenceOf(sure, evaluation, simt::CountGrade::Exact);
}

Finding describe(const KernelAnalysis &analysis, llvm::ArrayRef<const MemoryAccess *> group,
                 const BlockSharing &sharing, const LaunchEvaluation &evaluation) {
  const MemoryAccess &first = *group.front();
  double factor = double(sharing.requested) / double(sharing.blockUnique);
  Finding finding;
  finding.id = id;
  finding.place = spelled(analysis, first.place.place);
  finding.message = "each element of " + objectName(first) + " is read by " +
                    shortNumber(sharing.threadsPerElement()) +
                    " threads of a block, each from global memory: " + shortNumber(factor) +
                    " times the bytes that are distinct (" + evaluation.label + ")";
  finding.evidence = {{"bytes requested", double(sharing.requested * first.bytes)},
                      {"distinct bytes", double(sharing.blockUnique * first.bytes)},
                      {"reuse factor", factor},
                      {"threads per element", sharing.threadsPerElement()}};
  finding.confidence = confidence(group, sharing.threadsPerElement(), evaluation);
  finding.advice =
      "load a tile into shared memory once a block, synchronise, and let its threads read the tile";
  for (const MemoryAccess *other : group.drop_front())
    if (other->place.place != first.place.place)
      finding.notes.push_back({spelled(analysis, other->place.place), "the same window is read here"});
  return finding;
}

} // namespace

namespace {

struct Window {
  llvm::ArrayRef<const MemoryAccess *> reads;
  BlockSharing sharing;
};

/// How many times fewer bytes the launch reads when each element of the windows comes in once a block.
double gainOfStaging(const LaunchEvaluation &launch, llvm::ArrayRef<Window> windows) {
  double all = 0, saved = 0;
  for (const simt::AccessCounters &access : launch.counters.accesses)
    if (access.kind == simt::AccessKind::Load && access.space == simt::AccessSpace::Global)
      all += double(access.tally.bytes);
  for (const Window &window : windows)
    for (const MemoryAccess *read : window.reads)
      saved +=
          double(accessesAt(launch, read->place.place).bytes) * (1 - 1 / window.sharing.threadsPerElement());
  return saved < all ? all / (all - saved) : leastGain;
}

} // namespace

std::vector<Finding> findMissingReuseStaging(const KernelAnalysis &analysis) {
  if (analysis.launches.empty())
    return {};
  const LaunchEvaluation &main = analysis.launches.front();
  std::map<std::string, std::vector<const MemoryAccess *>> groups;
  for (const MemoryAccess &access : analysis.facts.accesses)
    if (isCandidate(access) && runsInMostThreads(analysis, main, access))
      groups[windowKey(access)].push_back(&access);
  BlockAddresses block(analysis, main);
  std::vector<Window> windows;
  for (const auto &[key, group] : groups) {
    if (!isRepeated(group))
      continue;
    std::optional<BlockSharing> sharing = block.sharing(group);
    // One element a warp is broadcast from one sector; staging would only replace one broadcast by another.
    if (sharing && !sharing->warpUniform && sharing->threadsPerElement() >= leastSharing)
      windows.push_back({group, *sharing});
  }
  std::vector<Finding> findings;
  if (gainOfStaging(main, windows) < leastGain)
    return findings;
  for (const Window &window : windows)
    findings.push_back(describe(analysis, window.reads, window.sharing, main));
  return findings;
}

} // namespace warpwright
