#include "feedback/evaluators/virtual/LaunchFile.h"

#include "analysis/EvaluateLaunches.h"
#include "analysis/ir/Prepare.h"
#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/LaunchBuffers.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"

#include <thread>

namespace warpwright::vdevice {

ProgramOptions programOptions(const FileAnalysis &file, const FileRequest &request) {
  ProgramOptions options;
  options.cudaPath = request.toolkit.root;
  const NvccFloatingPoint &floating = request.invocation.floatingPoint;
  options.flushDenormals = floating.flushDenormals;
  options.contract = floating.contract;
  options.preciseRoots = floating.preciseSquareRoot;
  for (const KernelAnalysis &kernel : file.kernels)
    options.parameters.emplace_back(kernel.kernel.symbol, describeParameters(kernel.kernel));
  return options;
}

llvm::Expected<std::unique_ptr<LaunchFile>> LaunchFile::create(FileAnalysis &file,
                                                               const FileRequest &request) {
  if (llvm::Error error = prepareCodegenView(file.unit->module()))
    return std::move(error);
  std::unique_ptr<LaunchFile> result(new LaunchFile(file));
  llvm::Expected<std::unique_ptr<DeviceProgram>> program =
      DeviceProgram::create(file.unit->module(), programOptions(file, request));
  if (!program)
    return program.takeError();
  result->program_ = std::move(*program);
  return result;
}

llvm::Expected<WatchedOutcome> LaunchFile::run(const Launch &launch, uint64_t stepLimit) {
  auto found = llvm::find_if(file_.kernels, [&](const KernelAnalysis &kernel) {
    return kernel.kernel.name == launch.kernel || kernel.kernel.symbol == launch.kernel;
  });
  const DeviceKernel *kernel =
      found == file_.kernels.end() ? nullptr : program_->findKernel(found->kernel.symbol);
  if (!kernel)
    return llvm::createStringError("the file holds no kernel '" + launch.kernel + "'");
  DeviceMemory memory;
  if (llvm::Error error = memory.addVariables(program_->variables()))
    return std::move(error);
  LaunchRequest request;
  request.launch = launch;
  request.memory = &memory;
  llvm::Expected<std::map<std::string, uint64_t>> buffers = addLaunchBuffers(memory, *kernel, launch);
  if (!buffers)
    return buffers.takeError();
  request.pointers = std::move(*buffers);
  WatchedLaunch watched{program_->sites(), kernel,       &memory,
                        launch.grid,       launch.block, launch.dynamicSharedBytes,
                        &program_->marks()};
  LaunchWatch watch(watched, {.workers = std::max(1u, std::thread::hardware_concurrency())});
  request.monitors = watch.monitors();
  request.stepLimit = stepLimit;
  llvm::Expected<LaunchOutcome> outcome = execute(*program_, *kernel, request);
  if (!outcome)
    return outcome.takeError();
  WatchedOutcome result;
  result.faults = watch.faults();
  mergeFaults(result.faults, outcome->faults);
  result.counters = watch.counters();
  result.faulted = !isClean(result.faults);
  result.printed = std::move(outcome->printed);
  result.undecided = outcome->reason;
  return result;
}

} // namespace warpwright::vdevice
