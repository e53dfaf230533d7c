#include "feedback/evaluators/virtual/lowering/StepLimit.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace warpwright::vdevice {
namespace {

/// Iterations between two calls of the runtime; a power of two.
constexpr uint64_t stride = 256;

/// The ends of the loops' iterations that have to be counted.
llvm::SmallVector<llvm::Instruction *> uncertainLatches(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::TargetLibraryInfoImpl library(function.getParent()->getTargetTriple());
  llvm::TargetLibraryInfo libraryInfo(library);
  llvm::AssumptionCache assumptions(function);
  llvm::ScalarEvolution evolution(function, libraryInfo, assumptions, dominators, loops);
  llvm::SmallVector<llvm::Instruction *> ends;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (evolution.hasLoopInvariantBackedgeTakenCount(loop))
      continue;
    llvm::SmallVector<llvm::BasicBlock *> latches;
    loop->getLoopLatches(latches);
    for (llvm::BasicBlock *latch : latches)
      ends.push_back(latch->getTerminator());
  }
  return ends;
}

void countStep(LoweringState &state, llvm::Instruction &end) {
  llvm::IRBuilder<> builder(&end);
  llvm::Value *member = state.contextMember(builder, offsetof(ThreadContext, stepsLeft));
  llvm::Value *left =
      builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), member), builder.getInt64(1));
  builder.CreateStore(left, member);
  llvm::Value *due = builder.CreateICmpEQ(builder.CreateAnd(left, stride - 1), builder.getInt64(0));
  llvm::Value *place = state.placeOf(end);
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(due, &end, /*Unreachable=*/false);
  llvm::IRBuilder<> inside(then);
  state.callRuntime(inside, "warpwright.steps", inside.getVoidTy(), {end.getFunction()->getArg(0), place});
}

} // namespace

void limitSteps(LoweringState &state) {
  for (llvm::Function *function : state.functions)
    for (llvm::Instruction *end : uncertainLatches(*function))
      countStep(state, *end);
}

} // namespace warpwright::vdevice
