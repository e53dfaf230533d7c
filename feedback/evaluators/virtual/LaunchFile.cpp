#include "feedback/evaluators/virtual/LaunchFile.h"

#include "analysis/EvaluateLaunches.h"
#include "analysis/ir/Prepare.h"
#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Execute.h"

namespace warpwright::vdevice {
namespace {

constexpr uint64_t defaultBufferBytes = uint64_t(64) << 20;

llvm::Error addBuffer(LaunchRequest &request, const std::string &name) {
  // An integer in the place of a pointer is an address that the user answers for: null above all.
  if (request.launch.arguments.contains(name))
    return llvm::Error::success();
  BufferRequest buffer;
  buffer.name = name;
  buffer.bytes = defaultBufferBytes;
  llvm::Expected<uint64_t> address = request.memory->addBuffer(buffer);
  if (!address)
    return address.takeError();
  request.pointers[name] = *address;
  return llvm::Error::success();
}

/// Gives every pointer of the kernel a buffer.
llvm::Error addBuffers(const DeviceKernel &kernel, LaunchRequest &request) {
  for (const DeviceParameter &parameter : kernel.parameters) {
    if (parameter.kind == DeviceParameter::Kind::Pointer)
      if (llvm::Error error = addBuffer(request, parameter.name))
        return error;
    for (const simt::ParameterMember &member : parameter.members)
      if (member.kind == simt::ParameterMember::Kind::Pointer)
        if (llvm::Error error = addBuffer(request, parameter.name + "." + member.name))
          return error;
  }
  return llvm::Error::success();
}

} // namespace

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

llvm::Expected<WatchedOutcome> LaunchFile::run(const Launch &launch) {
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
  if (llvm::Error error = addBuffers(*kernel, request))
    return std::move(error);
  llvm::Expected<LaunchOutcome> outcome = execute(*program_, *kernel, request);
  if (!outcome)
    return outcome.takeError();
  WatchedOutcome result;
  result.faults = std::move(outcome->faults);
  result.faulted = !isClean(result.faults);
  result.printed = std::move(outcome->printed);
  result.undecided = outcome->reason;
  return result;
}

} // namespace warpwright::vdevice
