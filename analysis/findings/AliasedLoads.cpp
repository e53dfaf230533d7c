#include "analysis/findings/AliasedLoads.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>

namespace warpwright {
namespace {

const llvm::Value *objectOf(const llvm::Value *pointer) {
  constexpr unsigned depth = 16;
  return llvm::getUnderlyingObject(pointer, depth);
}

const llvm::Argument *parameterOf(const llvm::Value *pointer) {
  return llvm::dyn_cast<llvm::Argument>(objectOf(pointer));
}

/// Memory that no pointer parameter leads to: shared variables and local arrays.
bool isApartFromParameters(const llvm::Value *pointer) {
  return llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(objectOf(pointer));
}

class Search {
public:
  Search(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
      : function_(function), loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        memory_(analyses.getResult<llvm::MemorySSAAnalysis>(function).getMSSA()) {}

  std::vector<AliasedLoad> run() {
    using Key = std::pair<const llvm::Value *, llvm::Type *>;
    llvm::MapVector<Key, std::vector<const llvm::LoadInst *>> byAddress;
    for (const llvm::Instruction &instruction : llvm::instructions(function_)) {
      const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || !load->isSimple() || !parameterOf(load->getPointerOperand()))
        continue;
      byAddress[{load->getPointerOperand(), load->getType()}].push_back(load);
      if (std::optional<AliasedLoad> pinned = pinnedInLoop(*load))
        found_.push_back(*pinned);
    }
    for (const auto &[key, loads] : byAddress)
      for (size_t i = 1; i < loads.size(); ++i)
        if (std::optional<AliasedLoad> repeated = repeatedAfter(*loads[i - 1], *loads[i]))
          found_.push_back(*repeated);
    return std::move(found_);
  }

private:
  /// A store that only a possible overlap of two parameters brings into the way of `load`.
  bool isOtherParameters(const llvm::Instruction *writer, const llvm::LoadInst &load) const {
    const auto *store = llvm::dyn_cast_or_null<llvm::StoreInst>(writer);
    if (!store || !store->isSimple())
      return false;
    const llvm::Argument *written = parameterOf(store->getPointerOperand());
    const llvm::Argument *read = parameterOf(load.getPointerOperand());
    return written && written != read && !written->hasNoAliasAttr() && !read->hasNoAliasAttr();
  }

  AliasedLoad describe(const llvm::LoadInst &load, const llvm::LoadInst *earlier,
                       const llvm::Instruction *writer) const {
    const auto *store = llvm::cast<llvm::StoreInst>(writer);
    return {&load, earlier, store, parameterOf(load.getPointerOperand()),
            parameterOf(store->getPointerOperand())};
  }

  /// Every iteration loads the same address anew.
  std::optional<AliasedLoad> pinnedInLoop(const llvm::LoadInst &load) const {
    const llvm::Loop *loop = loops_.getLoopFor(load.getParent());
    const llvm::BasicBlock *latch = loop ? loop->getLoopLatch() : nullptr;
    if (!latch || !loop->isLoopInvariant(load.getPointerOperand()) ||
        !dominators_.dominates(load.getParent(), latch))
      return std::nullopt;
    const llvm::Instruction *blocker = nullptr;
    for (const llvm::BasicBlock *block : loop->blocks())
      for (const llvm::Instruction &instruction : *block) {
        if (!instruction.mayWriteToMemory())
          continue;
        const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store && store->isSimple() && isApartFromParameters(store->getPointerOperand()))
          continue;
        if (!isOtherParameters(&instruction, load))
          return std::nullopt;
        blocker = &instruction;
      }
    if (!blocker)
      return std::nullopt;
    return describe(load, nullptr, blocker);
  }

  /// Walks from `again` back over everything that may have written its address, up to `first`.
  std::optional<AliasedLoad> repeatedAfter(const llvm::LoadInst &first, const llvm::LoadInst &again) const {
    if (!dominators_.dominates(&first, &again))
      return std::nullopt;
    llvm::MemoryUseOrDef *use = memory_.getMemoryAccess(&again);
    if (!use)
      return std::nullopt;
    llvm::MemorySSAWalker *walker = memory_.getWalker();
    llvm::MemoryLocation location = llvm::MemoryLocation::get(&again);
    llvm::MemoryAccess *access = walker->getClobberingMemoryAccess(use);
    const llvm::Instruction *blocker = nullptr;
    while (!memory_.isLiveOnEntryDef(access)) {
      if (const auto *merge = llvm::dyn_cast<llvm::MemoryPhi>(access)) {
        if (!dominators_.dominates(merge->getBlock(), first.getParent()))
          return std::nullopt;
        break;
      }
      auto *definition = llvm::cast<llvm::MemoryDef>(access);
      const llvm::Instruction *writer = definition->getMemoryInst();
      if (!dominators_.dominates(&first, writer))
        break;
      if (!isOtherParameters(writer, again))
        return std::nullopt;
      blocker = blocker ? blocker : writer;
      access = walker->getClobberingMemoryAccess(definition->getDefiningAccess(), location);
    }
    if (!blocker)
      return std::nullopt;
    return describe(again, &first, blocker);
  }

  llvm::Function &function_;
  llvm::LoopInfo &loops_;
  llvm::DominatorTree &dominators_;
  llvm::MemorySSA &memory_;
  std::vector<AliasedLoad> found_;
};

/// Two pointers to write through and read from that may overlap, or there is nothing to find.
bool hasUnrestrictedPair(const KernelFacts &facts) {
  unsigned read = 0, written = 0;
  for (const ParameterFacts &parameter : facts.parameters) {
    read += parameter.pointer && !parameter.restricted && parameter.read;
    written += parameter.pointer && !parameter.restricted && parameter.written;
  }
  return read != 0 && written != 0;
}

} // namespace

std::vector<AliasedLoad> findAliasedLoads(const KernelAnalysis &analysis) {
  if (!analysis.kernel.function || !hasUnrestrictedPair(analysis.facts))
    return {};
  // Alias analysis asks the managers of all levels.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  return Search(*analysis.kernel.function, functions).run();
}

} // namespace warpwright
