#include "feedback/evaluators/virtual/lowering/Compile.h"

#include "feedback/evaluators/virtual/execution/Runtime.h"
#include "feedback/evaluators/virtual/lowering/Coroutine.h"
#include "feedback/evaluators/virtual/lowering/Entry.h"

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

namespace warpwright::vdevice {
namespace {

llvm::Expected<llvm::orc::JITTargetMachineBuilder> hostBuilder() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder;
}

llvm::Error defineRuntime(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const RuntimeFunction &function : runtimeFunctions())
    symbols[jit.mangleAndIntern(function.name)] = {llvm::orc::ExecutorAddr::fromPtr(function.address),
                                                   llvm::JITSymbolFlags::Exported};
  llvm::orc::JITDylib &library = jit.getMainJITDylib();
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine() {
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder = hostBuilder();
  if (!builder)
    return builder.takeError();
  return builder->createTargetMachine();
}

llvm::Expected<CompiledKernel> compileKernel(LoweredKernel kernel) {
  CompiledKernel result;
  result.recursive = kernel.recursive;
  result.frameBytes = kernel.frameBytes;
  result.places = std::move(kernel.places);
  result.uncovered = std::move(kernel.uncovered);
  if (!result.uncovered.empty())
    return result;
  std::vector<const char *> entries;
  for (const char *name : {threadEntry, blockEntry, coroutineEntry})
    if (kernel.module->getFunction(name))
      entries.push_back(name);
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder = hostBuilder();
  if (!builder)
    return builder.takeError();
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> created =
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
  if (!created)
    return created.takeError();
  std::shared_ptr<llvm::orc::LLJIT> jit = std::move(*created);
  if (llvm::Error error = defineRuntime(*jit))
    return std::move(error);
  if (llvm::Error error =
          jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(kernel.module), std::move(kernel.context))))
    return std::move(error);
  for (const char *name : entries) {
    llvm::Expected<llvm::orc::ExecutorAddr> address = jit->lookup(name);
    if (!address)
      return address.takeError();
    if (name == threadEntry)
      result.thread = address->toPtr<KernelEntry>();
    else if (name == blockEntry)
      result.block = address->toPtr<KernelEntry>();
    else
      result.coroutine = address->toPtr<CoroutineEntry>();
  }
  result.code = std::move(jit);
  return result;
}

} // namespace warpwright::vdevice
