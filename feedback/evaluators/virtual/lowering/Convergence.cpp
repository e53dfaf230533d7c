#include "feedback/evaluators/virtual/lowering/Convergence.h"

#include "analysis/simt/Decode.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

namespace warpwright::vdevice {
namespace {

void indexLoops(const llvm::Function &function, ModuleIndex &index) {
  llvm::DominatorTree dominators(const_cast<llvm::Function &>(function));
  llvm::LoopInfo loops(dominators);
  ConvergenceMarks &marks = index.marks;
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    const llvm::Loop *parent = loop->getParentLoop();
    index.loopOfHeader[loop->getHeader()] = static_cast<uint32_t>(marks.loopParent.size());
    marks.loopParent.push_back(parent ? static_cast<int32_t>(index.loopOfHeader[parent->getHeader()])
                                      : ConvergenceMarks::none);
  }
  for (size_t site = 0; site < index.sites.size(); ++site) {
    const llvm::Instruction *instruction = index.sites[site].instruction;
    if (instruction->getFunction() != &function)
      continue;
    if (const llvm::Loop *loop = loops.getLoopFor(instruction->getParent()))
      marks.siteLoop[site] = static_cast<int32_t>(index.loopOfHeader[loop->getHeader()]);
  }
}

/// Counting by analysis knows which blocks ptxas predicates.
void indexPredication(const llvm::Function &kernel, ModuleIndex &index) {
  std::unique_ptr<simt::Program> program = simt::decodeProgram(kernel);
  llvm::DenseSet<const llvm::BasicBlock *> predicated;
  for (const auto &[function, code] : program->functions) {
    size_t number = 0;
    for (const llvm::BasicBlock &block : *function) {
      if (number < code->blocks.size() && code->blocks[number].predicated)
        predicated.insert(&block);
      ++number;
    }
  }
  for (size_t site = 0; site < index.sites.size(); ++site)
    if (predicated.contains(index.sites[site].instruction->getParent()))
      index.marks.siteIsPredicated[site] = 1;
}

void markIterations(LoweringState &state, llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  for (llvm::BasicBlock &block : function) {
    auto loop = state.loopOfHeader.find(&block);
    if (loop == state.loopOfHeader.end())
      continue;
    llvm::IRBuilder<> builder(&block, block.begin());
    llvm::PHINode *first = builder.CreatePHI(builder.getInt1Ty(), llvm::pred_size(&block));
    for (llvm::BasicBlock *from : llvm::predecessors(&block))
      first->addIncoming(builder.getInt1(!dominators.dominates(&block, from)), from);
    builder.SetInsertPoint(&block, block.getFirstInsertionPt());
    state.callRuntime(builder, "warpwright.iteration", builder.getVoidTy(),
                      {function.getArg(0), builder.getInt32(loop->second),
                       builder.CreateZExt(first, builder.getInt32Ty())});
  }
}

void markPredicated(LoweringState &state, llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    std::optional<uint32_t> first = state.siteOf(instruction);
    if (!first || !state.index.marks.siteIsPredicated[*first])
      continue;
    llvm::BasicBlock *guard = instruction.getParent()->getSinglePredecessor();
    if (!guard)
      continue;
    llvm::IRBuilder<> builder(guard->getTerminator());
    const llvm::Instruction *original = state.index.sites[*first].instruction;
    for (uint32_t site = *first; site < state.index.sites.size(); ++site) {
      if (state.index.sites[site].instruction != original)
        break;
      state.callRuntime(builder, "warpwright.reached", builder.getVoidTy(),
                        {function.getArg(0), builder.getInt32(site)});
    }
  }
}

} // namespace

void indexConvergence(const llvm::Module &module, ModuleIndex &index) {
  index.marks.siteLoop.assign(index.sites.size(), ConvergenceMarks::none);
  index.marks.siteIsPredicated.assign(index.sites.size(), 0);
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    indexLoops(function, index);
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      indexPredication(function, index);
  }
}

void markConvergence(LoweringState &state) {
  for (llvm::Function *function : state.functions) {
    markIterations(state, *function);
    markPredicated(state, *function);
  }
}

} // namespace warpwright::vdevice
