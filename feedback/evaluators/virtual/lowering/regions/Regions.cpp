#include "feedback/evaluators/virtual/lowering/regions/Regions.h"

#include "feedback/evaluators/virtual/execution/CollectiveKind.h"
#include "feedback/evaluators/virtual/lowering/Entry.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"
#include "feedback/evaluators/virtual/lowering/Waiting.h"
#include "feedback/evaluators/virtual/lowering/regions/BlockEntry.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Local.h>

namespace warpwright::vdevice {
namespace {

bool isConstant(const llvm::Value *value) {
  return llvm::isa<llvm::ConstantInt>(value);
}

/// A barrier of the whole block at which every thread waits.
bool isWholeBarrier(const llvm::CallInst &call) {
  const llvm::Value *kind = call.getArgOperand(2), *index = call.getArgOperand(3);
  const auto *count = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(4));
  return isConstant(kind) && isConstant(index) && count && count->isZero() &&
         static_cast<BarrierKind>(llvm::cast<llvm::ConstantInt>(kind)->getZExtValue()) != BarrierKind::Arrive;
}

/// Whether barriers of the whole block are all that threads wait at.
bool waitsAtBarriersAlone(const llvm::Function &function) {
  bool any = false;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    llvm::StringRef name = runtimeName(instruction);
    if (name == "barrier") {
      any = true;
      if (!isWholeBarrier(llvm::cast<llvm::CallInst>(instruction)))
        return false;
    } else if (name != "steps" && waitsOrEnds(instruction)) {
      return false;
    }
    const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable && !variable->isStaticAlloca())
      return false;
  }
  return any;
}

/// Ways that end the launch decide nothing about the others: they lead on where the others do.
void joinEnds(llvm::Function &function) {
  for (llvm::BasicBlock &block : function) {
    llvm::BasicBlock *from = block.getSinglePredecessor();
    if (!from || !llvm::isa<llvm::UnreachableInst>(block.getTerminator()))
      continue;
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    llvm::BasicBlock *other = branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0);
    block.getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(other, &block);
    for (llvm::PHINode &phi : other->phis())
      phi.addIncoming(llvm::PoisonValue::get(phi.getType()), &block);
  }
}

/// Parameters that were copied to memory become reads of parameters again. No branch or call is touched.
void tidy(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (llvm::isa<llvm::LifetimeIntrinsic>(instruction))
      instruction.eraseFromParent();
  llvm::removeUnreachableBlocks(function);
  joinEnds(function);
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.run(function, functions);
}

} // namespace

bool makeRegions(LoweringState &state) {
  llvm::Function *thread = state.module.getFunction(threadEntry);
  assert(thread && "entries are made before");
  if (state.kernelIndex.spins || !inlineWaiting(state, *thread) || !waitsAtBarriersAlone(*thread))
    return false;
  tidy(*thread);
  std::optional<CutFunction> cut = cutIntoRegions(*thread);
  if (!cut)
    return false;
  state.frameBytes = buildBlockEntry(state, *thread, *cut);
  thread->eraseFromParent();
  return true;
}

} // namespace warpwright::vdevice
