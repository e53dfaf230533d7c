#include "analysis/findings/BlockAddresses.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright {
namespace {

constexpr uint64_t mostEvaluations = 1 << 16; ///< about 10 ms
constexpr int64_t mostIterations = 16;        ///< of one loop

uint64_t extentOf(const Dim3 &extents, unsigned axis) {
  return axis == 0 ? extents.x : axis == 1 ? extents.y : extents.z;
}

int64_t indexOf(const Dim3 &extents, uint64_t linear, unsigned axis) {
  if (axis == 0)
    return int64_t(linear % extents.x);
  if (axis == 1)
    return int64_t(linear / extents.x % extents.y);
  return int64_t(linear / (extents.x * extents.y));
}

/// A value that nobody knows and that scales a thread's index or a loop's counter decides how far apart
/// threads are; one that stands alone moves all of them alike.
bool hidesDistances(const Expression &offset) {
  return llvm::any_of(offset.terms(), [](const auto &term) {
    auto isUnknown = [](const Symbol *symbol) { return symbol->kind == SymbolKind::Opaque; };
    return term.first.size() > 1 && llvm::any_of(term.first, isUnknown);
  });
}

uint64_t countUnique(std::vector<int64_t> &elements) {
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements.size();
}

} // namespace

std::optional<int64_t> BlockAddresses::valueOf(const Symbol &symbol, uint64_t thread,
                                               llvm::ArrayRef<int64_t> iterations) const {
  switch (symbol.kind) {
  case SymbolKind::ThreadIndex:
    return indexOf(launch_.block, thread, symbol.index);
  case SymbolKind::BlockIndex:
    return int64_t(extentOf(launch_.grid, symbol.index) / 2);
  case SymbolKind::BlockExtent:
    return int64_t(extentOf(launch_.block, symbol.index));
  case SymbolKind::GridExtent:
    return int64_t(extentOf(launch_.grid, symbol.index));
  case SymbolKind::LoopCounter:
    return symbol.index < iterations.size() ? iterations[symbol.index] : 0;
  case SymbolKind::Parameter: {
    auto found = launch_.arguments.find(symbol.text);
    if (found == launch_.arguments.end() || !std::holds_alternative<int64_t>(found->second))
      return std::nullopt;
    return std::get<int64_t>(found->second);
  }
  case SymbolKind::Opaque:
    break;
  }
  if (symbol.variesByThread() || !symbol.loops.empty())
    return std::nullopt;
  return 0;
}

std::optional<int64_t> BlockAddresses::offset(const Expression &offset, uint64_t thread,
                                              llvm::ArrayRef<int64_t> iterations) const {
  return offset.evaluate([&](const Symbol &symbol) { return valueOf(symbol, thread, iterations); });
}

std::optional<int64_t> BlockAddresses::tripCount(unsigned loop) const {
  const Fact<Expression> &count = analysis_.facts.loops[loop].tripCount;
  if (!count.known())
    return std::nullopt;
  return offset(count.value(), 0, {});
}

/// Every combination of the first iterations of the loops around the access; fewer of the outer ones than of
/// the inner. A loop of unknown length counts as one iteration: more could reach where the code never does.
std::vector<std::vector<int64_t>> BlockAddresses::iterationsAround(const MemoryAccess &access,
                                                                   uint64_t most) const {
  std::vector<std::vector<int64_t>> combinations(1, std::vector<int64_t>(analysis_.facts.loops.size(), 0));
  for (const MemoryAccess::LoopCoefficient &around : access.loopCoefficients) {
    int64_t count = std::clamp<int64_t>(tripCount(around.loop).value_or(1), 1, mostIterations);
    while (count > 1 && combinations.size() * uint64_t(count) > most)
      --count;
    size_t inner = combinations.size();
    for (int64_t iteration = 1; iteration < count; ++iteration)
      for (size_t i = 0; i < inner; ++i) {
        combinations.push_back(combinations[i]);
        combinations.back()[around.loop] = iteration;
      }
  }
  return combinations;
}

std::optional<BlockSharing> BlockAddresses::sharing(llvm::ArrayRef<const MemoryAccess *> accesses) const {
  uint64_t count = threads();
  if (count < 2 || accesses.empty())
    return std::nullopt;
  constexpr uint64_t warp = 32;
  uint64_t most = std::max<uint64_t>(1, mostEvaluations / (count * accesses.size()));
  BlockSharing sharing;
  std::vector<std::vector<int64_t>> ofThread(count);
  for (const MemoryAccess *access : accesses) {
    if (!access->offset.known() || access->bytes == 0 || hidesDistances(access->offset.value()))
      return std::nullopt;
    for (const std::vector<int64_t> &iterations : iterationsAround(*access, most)) {
      int64_t first = 0;
      for (uint64_t thread = 0; thread < count; ++thread) {
        std::optional<int64_t> value = offset(access->offset.value(), thread, iterations);
        if (!value)
          return std::nullopt;
        first = thread % warp == 0 ? *value : first;
        sharing.warpUniform &= *value == first;
        ofThread[thread].push_back(*value);
      }
      sharing.requested += count;
    }
  }
  std::vector<int64_t> all;
  for (std::vector<int64_t> &elements : ofThread) {
    sharing.threadUnique += countUnique(elements);
    all.insert(all.end(), elements.begin(), elements.end());
  }
  sharing.blockUnique = countUnique(all);
  return sharing;
}

} // namespace warpwright
