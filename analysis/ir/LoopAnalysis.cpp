#include "analysis/ir/LoopAnalysis.h"

#include "analysis/ir/TripCount.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace warpwright {
namespace {

std::optional<unsigned> requestedUnroll(const llvm::Loop &loop) {
  if (llvm::hasUnrollTransformation(&loop) & llvm::TM_Disable)
    return 1;
  if (llvm::findOptionMDForLoop(&loop, "llvm.loop.unroll.full"))
    return 0;
  if (std::optional<int> count = llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count"))
    return *count;
  return llvm::findOptionMDForLoop(&loop, "llvm.loop.unroll.enable") ? std::optional(0u) : std::nullopt;
}

bool containsBarrier(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier"))
        return true;
  return false;
}

Fact<bool> uniformExitOf(SymbolicValues &values, const llvm::Loop &loop) {
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  bool threadAxes[3] = {}, dataDependent = false, divergent = false;
  for (llvm::BasicBlock *block : exiting) {
    if (!values.view().uniformity.hasDivergentTerminator(*block))
      continue;
    divergent = true;
    Symbol traits = values.dependences(block->getTerminator()->getOperand(0));
    for (unsigned axis = 0; axis < 3; ++axis)
      threadAxes[axis] |= traits.threadAxes[axis];
    dataDependent |= traits.dataDependent;
  }
  if (!divergent)
    return Fact<bool>::proved(true);
  return Fact<bool>::assumed(false, "lanes differ in what the exit reads: " +
                                        dependencesText(threadAxes, dataDependent));
}

const llvm::DILocation *startOf(const llvm::Loop &loop) {
  if (llvm::DebugLoc start = loop.getStartLoc())
    return start.get();
  return nullptr;
}

} // namespace

std::string dependencesText(const bool (&threadAxes)[3], bool dataDependent) {
  std::string text;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (threadAxes[axis])
      text += (text.empty() ? "threadIdx." : ", threadIdx.") + std::string(1, "xyz"[axis]);
  if (dataDependent)
    text += text.empty() ? "loaded data" : ", loaded data";
  return text.empty() ? "control flow" : text;
}

std::vector<LoopFacts> analyseLoops(SymbolicValues &values) {
  const KernelView &view = values.view();
  std::vector<LoopFacts> facts;
  for (const llvm::Loop *loop : view.loops()) {
    LoopFacts fact;
    fact.id = view.idOf(loop);
    fact.place = view.placeOf(startOf(*loop));
    if (const llvm::Loop *parent = loop->getParentLoop())
      fact.parent = view.idOf(parent);
    fact.depth = loop->getLoopDepth();
    llvm::StringRef counter = values.loopCounter(loop)->text;
    if (counter.consume_front("iter("))
      counter.consume_back(")");
    fact.counter = llvm::isDigit(counter.front()) ? std::string() : counter.str();
    fact.tripCount = tripCountOf(values, *loop);
    fact.uniformExit = uniformExitOf(values, *loop);
    fact.containsBarrier = containsBarrier(*loop);
    fact.innermost = loop->isInnermost();
    for (const llvm::BasicBlock *block : loop->blocks())
      fact.instructions += block->sizeWithoutDebug();
    fact.requestedUnroll = requestedUnroll(*loop);
    facts.push_back(std::move(fact));
  }
  return facts;
}

} // namespace warpwright
