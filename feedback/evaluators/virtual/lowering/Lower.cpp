#include "feedback/evaluators/virtual/lowering/Lower.h"

#include "feedback/evaluators/virtual/lowering/AddressSpaces.h"
#include "feedback/evaluators/virtual/lowering/Clone.h"
#include "feedback/evaluators/virtual/lowering/ContextParameter.h"
#include "feedback/evaluators/virtual/lowering/Contract.h"
#include "feedback/evaluators/virtual/lowering/Convergence.h"
#include "feedback/evaluators/virtual/lowering/Coroutine.h"
#include "feedback/evaluators/virtual/lowering/DeviceLibrary.h"
#include "feedback/evaluators/virtual/lowering/Entry.h"
#include "feedback/evaluators/virtual/lowering/Guards.h"
#include "feedback/evaluators/virtual/lowering/Hooks.h"
#include "feedback/evaluators/virtual/lowering/Intrinsics.h"
#include "feedback/evaluators/virtual/lowering/StepLimit.h"
#include "feedback/evaluators/virtual/lowering/ptx/Translate.h"
#include "feedback/evaluators/virtual/lowering/regions/Regions.h"
#include "feedback/evaluators/virtual/lowering/shadow/Shadow.h"
#include "feedback/evaluators/virtual/lowering/shadow/ShadowLibrary.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>

namespace warpwright::vdevice {
namespace {

/// Nothing of the device's target is left, nor what the device compiler supposed of aliasing and types: nvcc
/// supposes less, and what a kernel gets wrong shall show.
void forgetDevice(llvm::Module &module, const llvm::TargetMachine &host) {
  module.setTargetTriple(host.getTargetTriple());
  module.setDataLayout(host.createDataLayout());
  for (llvm::NamedMDNode &node : llvm::make_early_inc_range(module.named_metadata()))
    node.eraseFromParent();
  for (llvm::Function &function : module) {
    function.setCallingConv(llvm::CallingConv::C);
    function.setComdat(nullptr);
    if (function.isIntrinsic())
      continue;
    for (const char *attribute :
         {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "denormal-fp-math",
          "denormal-fp-math-f32", "no-trapping-math", "stack-protector-buffer-size",
          "uniform-work-group-size", "nvvm.maxntid", "nvvm.minctasm", "nvvm.reqntid"})
      function.removeFnAttr(attribute);
    function.removeFnAttr(llvm::Attribute::Convergent);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", host.getTargetCPU());
    function.addFnAttr("target-features", host.getTargetFeatureString());
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      instruction.dropUnknownNonDebugMetadata();
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->setCallingConv(llvm::CallingConv::C);
        call->removeFnAttr(llvm::Attribute::Convergent);
      }
    }
  }
}

void optimiseForHost(llvm::Module &module, llvm::TargetMachine &host) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&host);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

llvm::Error verify(const llvm::Module &module, const char *when) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module, &stream))
    return llvm::createStringError(std::string("the virtual device made broken code ") + when + ": " +
                                   message);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<LoweredKernel> lowerKernel(const llvm::Module &source, const ModuleIndex &index,
                                          const KernelIndex &kernel, Lowering lowering, ThreadOrder order,
                                          const ProgramOptions &options, llvm::StringRef library,
                                          llvm::TargetMachine &host) {
  LoweredKernel result;
  result.context = std::make_unique<llvm::LLVMContext>();
  llvm::Expected<std::unique_ptr<llvm::Module>> copy = cloneModule(source, *result.context);
  if (!copy)
    return copy.takeError();
  result.module = std::move(*copy);
  LoweringState state(*result.module, index, kernel, options, lowering);
  adoptClone(state, source);
  contractProducts(state);
  if (state.isShadowed())
    declareDoubleSiblings(state);
  if (llvm::Error error = linkDeviceLibrary(state, library))
    return std::move(error);
  flushDenormals(state);
  addContextParameters(state);
  translateInlineAsm(state);
  lowerIntrinsics(state);
  guardUndefined(state);
  resolveAddressSpaces(state);
  if (state.isShadowed())
    addShadow(state);
  if (state.isWatched()) {
    markConvergence(state);
    insertHooks(state);
  }
  flushAtomicSums(state);
  limitSteps(state);
  addEntries(state);
  bool inRegions = !state.isShadowed() && order == ThreadOrder::Ascending;
  if (state.uncovered.empty() && kernel.usesFibres && !(inRegions && makeRegions(state)))
    makeCoroutine(state);
  result.frameBytes = state.frameBytes;
  result.recursive = !kernel.recursiveFrames.empty();
  result.places = std::move(state.places);
  result.uncovered = std::move(state.uncovered);
  if (!result.uncovered.empty())
    return result;
  forgetDevice(*result.module, host);
  if (llvm::Error error = verify(*result.module, "before it was optimised"))
    return std::move(error);
  optimiseForHost(*result.module, host);
  return result;
}

} // namespace warpwright::vdevice
