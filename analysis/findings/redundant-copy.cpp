// Shared memory passes data between threads. An array there that each thread fills from global memory and
// reads back by itself passes nothing: a register would do, without the array, its traffic and its barrier.

#include "analysis/findings/BlockAddresses.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "redundant-copy";

struct Uses {
  std::vector<const MemoryAccess *> writes;
  std::vector<const MemoryAccess *> reads;
};

/// Plain reads and writes of the variable at known offsets that no loop moves. None where anything else
/// touches it. Arrays that a loop walks are left out: they may save global memory a second pass.
std::optional<Uses> usesOf(const KernelAnalysis &analysis, const SharedVariable &variable) {
  Uses uses;
  for (const MemoryAccess &access : analysis.facts.accesses) {
    if (access.space != MemorySpace::Shared && access.space != MemorySpace::Generic)
      continue;
    if (!access.object.known())
      return std::nullopt;
    if (access.object.value().kind != MemoryObject::Kind::SharedVariable ||
        access.object.value().position != variable.id)
      continue;
    bool fixed = access.offset.known() && !access.dataDependent &&
                 !access.offset.value().mentions([](const Symbol &symbol) {
                   return symbol.kind == SymbolKind::LoopCounter || !symbol.loops.empty();
                 });
    if (!fixed || access.isVolatile || !access.instruction.empty() || access.kind == AccessKind::Atomic)
      return std::nullopt;
    (access.kind == AccessKind::Write ? uses.writes : uses.reads).push_back(&access);
  }
  if (uses.writes.empty() || uses.reads.empty())
    return std::nullopt;
  return uses;
}

/// Every store to the variable puts there what was loaded from elsewhere.
bool isFilledByLoads(const KernelAnalysis &analysis, const SharedVariable &variable) {
  bool any = false;
  for (const llvm::Instruction &instruction : llvm::instructions(*analysis.kernel.function)) {
    const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || llvm::getUnderlyingObject(store->getPointerOperand())->getName() != variable.name)
      continue;
    const auto *load = llvm::dyn_cast<llvm::LoadInst>(store->getValueOperand());
    if (!load || !llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand())))
      return false;
    any = true;
  }
  return any;
}

/// In one block of the launch, each element that a thread reads was written by that thread and by no other.
bool staysWithinThreads(const Uses &uses, const BlockAddresses &block, size_t loops) {
  std::vector<int64_t> start(loops, 0);
  std::map<int64_t, uint64_t> writer;
  for (uint64_t thread = 0; thread < block.threads(); ++thread)
    for (const MemoryAccess *write : uses.writes) {
      std::optional<int64_t> at = block.offset(write->offset.value(), thread, start);
      if (!at)
        return false;
      auto [entry, isNew] = writer.try_emplace(*at, thread);
      if (!isNew && entry->second != thread)
        return false;
    }
  for (uint64_t thread = 0; thread < block.threads(); ++thread)
    for (const MemoryAccess *read : uses.reads) {
      std::optional<int64_t> at = block.offset(read->offset.value(), thread, start);
      auto found = at ? writer.find(*at) : writer.end();
      if (found == writer.end() || found->second != thread || read->bytes != uses.writes.front()->bytes)
        return false;
    }
  return true;
}

Finding describe(const KernelAnalysis &analysis, const Uses &uses, const LaunchEvaluation &evaluation) {
  const MemoryAccess &write = *uses.writes.front();
  Finding finding;
  finding.id = id;
  finding.place = spelled(analysis, write.place.place);
  finding.message = "each thread copies into " + objectName(write) +
                    " only what it reads back itself: no other thread "
                    "sees the shared array";
  uint64_t bytes = 0;
  for (const SourceAccess &access : sourceAccesses(analysis, evaluation))
    if (access.space == simt::AccessSpace::Shared && access.fact && access.fact->object.known() &&
        access.fact->object.value() == write.object.value())
      bytes += access.tally.bytes;
  finding.evidence = {{"shared bytes moved", double(bytes)},
                      {"writes", double(uses.writes.size())},
                      {"reads", double(uses.reads.size())}};
  finding.confidence = confidenceOf(0.8, evaluation, simt::CountGrade::Exact);
  finding.advice = "keep the value in a variable of the thread, and drop the array and its barrier";
  for (const MemoryAccess *read : uses.reads)
    finding.notes.push_back({spelled(analysis, read->place.place), "read back here"});
  return finding;
}

} // namespace

std::vector<Finding> findRedundantCopies(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  if (analysis.launches.empty())
    return findings;
  const LaunchEvaluation &main = analysis.launches.front();
  BlockAddresses block(analysis, main);
  for (const SharedVariable &variable : analysis.facts.sharedVariables) {
    if (variable.escapes || !isFilledByLoads(analysis, variable))
      continue;
    std::optional<Uses> uses = usesOf(analysis, variable);
    if (uses && staysWithinThreads(*uses, block, analysis.facts.loops.size()))
      findings.push_back(describe(analysis, *uses, main));
  }
  return findings;
}

} // namespace warpwright
