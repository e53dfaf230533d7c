#pragma once

#include "analysis/ir/Divergence.h"
#include "analysis/ir/KernelFacts.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <functional>

namespace warpwright {

struct CollectOptions;

/// What every analysis of one kernel reads: LLVM's own results and numbers for loops. Lives as long as the
/// FunctionAnalysisManager keeps them.
class KernelView {
public:
  KernelView(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
             const CollectOptions &options);

  llvm::Function &function;
  const llvm::DataLayout &layout;
  llvm::LoopInfo &loopInfo;
  llvm::ScalarEvolution &evolution;
  llvm::DominatorTree &dominators;
  llvm::PostDominatorTree &postDominators;
  Divergence uniformity;

  /// Blocks in program order: before what they lead to, and the blocks of a loop before what follows it.
  const std::vector<llvm::BasicBlock *> &blocks() const { return blocks_; }

  /// Loops by id: outer before inner, in program order.
  const std::vector<const llvm::Loop *> &loops() const { return loops_; }
  unsigned idOf(const llvm::Loop *loop) const { return loopIds_.lookup(loop); }
  /// The id of the innermost loop around `block`.
  std::optional<unsigned> loopAround(const llvm::BasicBlock *block) const;

  /// Global variables of every space that the kernel or a function it calls mentions, in order of first
  /// mention.
  const std::vector<const llvm::GlobalVariable *> &variables() const { return variables_; }
  /// Position among the shared variables of variables(), and of an alloca among all of the kernel.
  unsigned sharedIdOf(const llvm::GlobalVariable *variable) const { return sharedIds_.lookup(variable); }
  unsigned localIdOf(const llvm::AllocaInst *alloca) const { return localIds_.lookup(alloca); }

  /// Whether control can get from the kernel into `callee`, which was not inlined.
  bool mayCall(const llvm::Function *callee) const { return reachable_.contains(callee); }

  /// Lanes of a warp may disagree on whether `block` runs.
  bool underDivergentControl(const llvm::BasicBlock *block) const { return divergentBlocks_.contains(block); }

  SourcePlace placeOf(const llvm::Instruction &instruction) const;
  SourcePlace placeOf(const llvm::DILocation *location) const;
  /// The name a parameter goes by in facts.
  const std::string &parameterName(unsigned position) const { return parameterNames_[position]; }
  /// `p.n` for the member at `byte` of a parameter passed by value.
  std::string memberName(unsigned position, uint64_t byte) const;

private:
  void orderBlocks();
  void numberLoops();
  void markDivergentBlocks();
  void numberVariables();
  void nameParameters(const CollectOptions &options);

  std::vector<llvm::BasicBlock *> blocks_;
  std::vector<const llvm::Loop *> loops_;
  llvm::DenseMap<const llvm::Loop *, unsigned> loopIds_;
  std::vector<const llvm::GlobalVariable *> variables_;
  llvm::DenseSet<const llvm::Function *> reachable_;
  llvm::DenseMap<const llvm::GlobalVariable *, unsigned> sharedIds_;
  llvm::DenseMap<const llvm::AllocaInst *, unsigned> localIds_;
  llvm::DenseSet<const llvm::BasicBlock *> divergentBlocks_;
  std::vector<std::string> parameterNames_;
  std::function<bool(llvm::StringRef)> isSystemFile_;
  std::function<std::string(unsigned, uint64_t)> memberName_;
};

/// True for headers of the CUDA toolkit, of Clang and of the host compiler, told by their path.
bool isToolkitFile(llvm::StringRef path);

/// The name of a value as written in the source, as far as the IR keeps it: "i" for %i.035; empty for none.
std::string sourceName(const llvm::Value &value);

} // namespace warpwright
