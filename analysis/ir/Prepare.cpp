#include "analysis/ir/Prepare.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
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
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>
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

/// Device library functions are not linked in. Those of plain numbers touch no memory, which is worth
/// knowing: a load after a call of one need not be repeated.
void describeDeviceLibrary(llvm::Module &module) {
  auto isPointer = [](const llvm::Argument &argument) { return argument.getType()->isPointerTy(); };
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_") &&
        llvm::none_of(function.args(), isPointer)) {
      function.setDoesNotAccessMemory();
      function.setDoesNotThrow();
      function.addFnAttr(llvm::Attribute::WillReturn);
    }
}

/// Clang forbids unrolling of every loop at -O1 that no pragma speaks of, in the same words as `#pragma
/// unroll 1`. nvcc has no such wish, so the words are taken back; what a pragma asks for otherwise stays.
void allowUnrolling(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      llvm::Instruction *end = block.getTerminator();
      llvm::MDNode *loop = end ? end->getMetadata(llvm::LLVMContext::MD_loop) : nullptr;
      if (!loop)
        continue;
      llvm::SmallVector<llvm::Metadata *> kept = {nullptr};
      for (const llvm::MDOperand &operand : llvm::drop_begin(loop->operands())) {
        const auto *property = llvm::dyn_cast<llvm::MDNode>(operand);
        const auto *name = property && property->getNumOperands()
                               ? llvm::dyn_cast<llvm::MDString>(property->getOperand(0))
                               : nullptr;
        if (!name || name->getString() != "llvm.loop.unroll.disable")
          kept.push_back(operand);
      }
      llvm::MDNode *renewed = llvm::MDNode::getDistinct(module.getContext(), kept);
      renewed->replaceOperandWith(0, renewed);
      end->setMetadata(llvm::LLVMContext::MD_loop, renewed);
    }
}

/// Shared arrays lie where the device compiler puts them, and it puts them on 16 bytes, so that rows of them
/// can be read in accesses of 16 bytes although the source promises less.
void alignSharedArrays(llvm::Module &module) {
  constexpr uint64_t widestAccess = 16;
  constexpr unsigned sharedSpace = 3;
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != sharedSpace || variable.isDeclaration())
      continue;
    uint64_t size = module.getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue();
    if (size >= widestAccess)
      variable.setAlignment(std::max(variable.getAlign().valueOrOne(), llvm::Align(widestAccess)));
  }
}

/// Marks the innermost loops that nvcc unrolls whole: those of a constant trip count whose copies together
/// stay below its threshold. Read off nvcc 13.0 with loops of five bodies and 16 to 300 iterations: between
/// 580 and 600 by this estimate of size; LLVM's own threshold is 300.
class MarkSmallLoops : public llvm::PassInfoMixin<MarkSmallLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    auto &scalars = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto &costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
    llvm::SmallPtrSet<const llvm::Value *, 1> ephemeral;
    for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      unsigned trips = loop->isInnermost() ? scalars.getSmallConstantTripCount(loop) : 0;
      bool decided = llvm::findStringMetadataForLoop(loop, "llvm.loop.unroll.count").has_value() ||
                     llvm::findStringMetadataForLoop(loop, "llvm.loop.unroll.full").has_value();
      if (trips == 0 || decided)
        continue;
      constexpr unsigned branchSize = 2; // compare and branch, which vanish from all copies
      llvm::UnrollCostEstimator estimate(loop, costs, ephemeral, branchSize);
      constexpr uint64_t threshold = 580;
      if (estimate.canUnroll() &&
          (estimate.getRolledLoopSize() - branchSize) * trips + branchSize <= threshold)
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    }
    return llvm::PreservedAnalyses::all();
  }
};

/// Clang copies half a float4 as one i64, which no float neighbour can be joined with. A copy has no type: as
/// two words of 32 bits it joins with either.
class SplitCopies : public llvm::PassInfoMixin<SplitCopies> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    llvm::SmallVector<llvm::LoadInst *> copies;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && isCopy(*load))
        copies.push_back(load);
    auto *words = llvm::FixedVectorType::get(llvm::Type::getInt32Ty(function.getContext()), 2);
    for (llvm::LoadInst *load : copies) {
      load->mutateType(words); // its users are stores, which take any type
      load->setMetadata(llvm::LLVMContext::MD_range, nullptr);
    }
    return copies.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }

private:
  static bool isCopy(const llvm::LoadInst &load) {
    auto isStoreOfIt = [&](const llvm::User *user) {
      const auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
      return store && store->isSimple() && store->getValueOperand() == &load &&
             store->getPointerOperand() != &load;
    };
    return load.isSimple() && load.getType()->isIntegerTy(64) && !load.use_empty() &&
           llvm::all_of(load.users(), isStoreOfIt);
  }
};

/// Clang promises of a copy to an array's element no more than the element's alignment, whatever type the
/// copy has in the source. What the address shows to be aligned is; nvcc goes by the type, which must not
/// promise more.
class AlignCopies : public llvm::PassInfoMixin<AlignCopies> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    auto &assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
    auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    const llvm::DataLayout &layout = function.getParent()->getDataLayout();
    auto known = [&](llvm::Value *pointer, llvm::Instruction &at, llvm::MaybeAlign promised) {
      return std::max(promised.valueOrOne(),
                      llvm::getKnownAlignment(pointer, layout, &at, &assumptions, &dominators));
    };
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
        copy->setDestAlignment(known(copy->getRawDest(), *copy, copy->getDestAlign()));
        copy->setSourceAlignment(known(copy->getRawSource(), *copy, copy->getSourceAlign()));
      }
    return llvm::PreservedAnalyses::all();
  }
};

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
  describeDeviceLibrary(module);
  allowUnrolling(module);
  alignSharedArrays(module);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InferAddressSpacesPass());
  constexpr unsigned depth = 2; // a nest becomes an innermost loop once its inner one is gone
  for (unsigned i = 0; i < depth; ++i) {
    passes.addPass(MarkSmallLoops());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(optimisationLevel)));
    passes.addPass(llvm::InstSimplifyPass());
  }
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(SplitCopies());
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(AlignCopies());
  passes.addPass(llvm::LoadStoreVectorizerPass());
  return runPasses(module, std::move(passes));
}

} // namespace warpwright
