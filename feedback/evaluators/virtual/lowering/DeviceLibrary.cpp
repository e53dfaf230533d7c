#include "feedback/evaluators/virtual/lowering/DeviceLibrary.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Local.h>

namespace warpwright::vdevice {
namespace {

/// The string that the operand of `__nvvm_reflect` points to.
llvm::StringRef questionOf(const llvm::CallBase &call) {
  const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  if (!variable || !variable->hasInitializer())
    return {};
  const auto *text = llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer());
  return text && text->isCString() ? text->getAsCString() : llvm::StringRef();
}

/// What nvcc answers: see the libdevice user's guide for __CUDA_FTZ and __CUDA_PREC_SQRT; __CUDA_ARCH is the
/// architecture times ten.
uint64_t answerTo(llvm::StringRef question, const LoweringState &state) {
  if (question == "__CUDA_FTZ")
    return state.options.flushDenormals;
  if (question == "__CUDA_PREC_SQRT")
    return state.options.preciseRoots;
  unsigned architecture = 0;
  llvm::StringRef processor = state.kernel->getFnAttribute("target-cpu").getValueAsString();
  if (question == "__CUDA_ARCH" && processor.consume_front("sm_") &&
      !processor.consumeInteger(10, architecture))
    return uint64_t(architecture) * 10;
  return 0;
}

void answerReflection(LoweringState &state) {
  llvm::Function *reflect = state.module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  llvm::SmallPtrSet<llvm::Function *, 16> asking;
  for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call)
      continue;
    asking.insert(call->getFunction());
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answerTo(questionOf(*call), state)));
    call->eraseFromParent();
  }
  // What the other answer would have run goes at once: it may hold intrinsics that are not covered.
  for (llvm::Function *function : asking) {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*function)))
      if (llvm::Constant *constant =
              llvm::ConstantFoldInstruction(&instruction, state.module.getDataLayout())) {
        instruction.replaceAllUsesWith(constant);
        if (llvm::isInstructionTriviallyDead(&instruction))
          instruction.eraseFromParent();
      }
    for (llvm::BasicBlock &block : *function)
      llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
    llvm::removeUnreachableBlocks(*function);
  }
}

} // namespace

llvm::Expected<std::string> findDeviceLibrary(llvm::StringRef cudaPath) {
  std::string path = (cudaPath + "/nvvm/libdevice/libdevice.10.bc").str();
  if (!llvm::sys::fs::exists(path))
    return llvm::createStringError("the toolkit has no device library: " + path + " is missing");
  return path;
}

llvm::Error linkDeviceLibrary(LoweringState &state, llvm::StringRef path) {
  bool needed = llvm::any_of(state.module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv");
  });
  if (!needed)
    return llvm::Error::success();
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::getLazyBitcodeModule((*buffer)->getMemBufferRef(), state.module.getContext());
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(state.module.getTargetTriple());
  (*library)->setDataLayout(state.module.getDataLayout());
  if (llvm::Linker::linkModules(state.module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    return llvm::createStringError("'" + path + "' cannot be linked");
  for (llvm::Function &function : state.module)
    if (!function.isDeclaration() && !state.functions.contains(&function)) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.removeFnAttr(llvm::Attribute::NoInline);
    }
  answerReflection(state);
  return llvm::Error::success();
}

} // namespace warpwright::vdevice
