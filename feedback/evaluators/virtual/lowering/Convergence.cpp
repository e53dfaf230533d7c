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
  llvm::DenseMap<const llvm::BasicBlock *, int32_t> firstSite; ///< of each predicated block
  for (const auto &[function, code] : program->functions) {
    size_t number = 0;
    for (const llvm::BasicBlock &block : *function) {
      if (number < code->blocks.size() && code->blocks[number].predicated)
        firstSite[&block] = ConvergenceMarks::none;
      ++number;
    }
  }
  for (size_t site = 0; site < index.sites.size(); ++site) {
    auto guarded = firstSite.find(index.sites[site].instruction->getParent());
    if (guarded == firstSite.end())
      continue;
    if (guarded->second == ConvergenceMarks::none)
      guarded->second = static_cast<int32_t>(site);
    index.marks.siteGuard[site] = guarded->second;
  }
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
    if (!first || state.index.marks.siteGuard[*first] != static_cast<int32_t>(*first))
      continue;
    llvm::BasicBlock *guard = instruction.getParent()->getSinglePredecessor();
    llvm::IRBuilder<> builder(guard ? guard->getTerminator() : &instruction);
    state.callRuntime(builder, "warpwright.reached", builder.getVoidTy(),
                      {function.getArg(0), builder.getInt32(*first)});
  }
}

} // namespace

void indexConvergence(const llvm::Module &module, ModuleIndex &index) {
  index.marks.siteLoop.assign(index.sites.size(), ConvergenceMarks::none);
  index.marks.siteGuard.assign(index.sites.size(), ConvergenceMarks::none);
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
