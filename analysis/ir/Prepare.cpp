#include "analysis/ir/Prepare.h"

#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

#include <memory>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
}

namespace warpwright {
namespace {

void initialiseTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
  });
}

/// The architecture that the module was compiled for, as its functions state it.
std::string targetCpu(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.hasFnAttribute("target-cpu"))
      return function.getFnAttribute("target-cpu").getValueAsString().str();
  return "sm_90";
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const llvm::Module &module) {
  initialiseTarget();
  const llvm::Triple &triple = module.getTargetTriple();
  if (!triple.isNVPTX())
    return llvm::createStringError("device IR for '" + triple.str() + "' is not for NVPTX");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, targetCpu(module), "", llvm::TargetOptions(), std::nullopt));
}

/// Runs function passes with what the target knows of its costs.
llvm::Error runPasses(llvm::Module &module, llvm::FunctionPassManager passes) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createMachine(module);
  if (!machine)
    return machine.takeError();
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine->get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  pipeline.run(module, modules);
  return llvm::Error::success();
}

} // namespace

llvm::Error prepareSourceView(llvm::Module &module) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InferAddressSpacesPass());
  return runPasses(module, std::move(passes));
}

llvm::Error prepareCodegenView(llvm::Module &module) {
  // What nvcc's own middle end does to accesses: loops of a small constant trip count are unrolled whole, a
  // value that was loaded already and cannot have changed is not loaded again, and neighbours are joined.
  constexpr int optimisationLevel = 3;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InferAddressSpacesPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(optimisationLevel)));
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::LoadStoreVectorizerPass());
  return runPasses(module, std::move(passes));
}

} // namespace warpwright
