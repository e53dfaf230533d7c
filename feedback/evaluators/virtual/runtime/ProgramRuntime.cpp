#include "feedback/evaluators/virtual/runtime/ProgramRuntime.h"

#include "analysis/ir/Prepare.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace warpwright::vdevice {
namespace {

/// Bad images are faults of whoever built the program.
[[noreturn]] void endBroken(llvm::Error error) {
  llvm::errs() << "warpwright: " << llvm::toString(std::move(error)) << '\n';
  std::exit(EXIT_FAILURE);
}

std::string toolkitPath() {
  const char *path = std::getenv("CUDA_PATH");
  return path ? path : "/usr/local/cuda";
}

} // namespace

ProgramRuntime &ProgramRuntime::instance() {
  // The interface of the CUDA runtime has no handle of its own, and is called before main() and after it:
  // this is never destroyed.
  static auto *runtime = new ProgramRuntime;
  return *runtime;
}

void ProgramRuntime::endUndecided(const std::string &reason) {
  std::fflush(stdout);
  llvm::errs() << "warpwright: " << reason << '\n';
  std::_Exit(exitUndecided);
}

size_t ProgramRuntime::addImage(const DeviceImage &image) {
  if (image.magic != DeviceImage::magicNumber)
    endBroken(llvm::createStringError("the program holds no image for the virtual device"));
  images_.push_back(std::make_unique<Image>());
  images_.back()->bytes = &image;
  return images_.size() - 1;
}

void ProgramRuntime::addKernel(size_t image, const void *host, const char *symbol) {
  kernels_[host] = {image, symbol};
}

void ProgramRuntime::addVariable(size_t image, const void *host, const char *symbol) {
  variables_[host] = {image, symbol};
}

const ProgramRuntime::Symbol *ProgramRuntime::find(const std::map<const void *, Symbol> &symbols,
                                                   const void *host) const {
  auto found = symbols.find(host);
  return found == symbols.end() ? nullptr : &found->second;
}

ProgramRuntime::Image &ProgramRuntime::ready(size_t index) {
  Image &image = *images_[index];
  if (image.program)
    return image;
  image.context = std::make_unique<llvm::LLVMContext>();
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(image.bytes->bitcode(), "device image"), *image.context);
  if (!module)
    endBroken(module.takeError());
  image.module = std::move(*module);
  if (llvm::Error error = prepareSourceView(*image.module))
    endBroken(std::move(error));
  ProgramOptions options;
  options.cudaPath = toolkitPath();
  options.flushDenormals = image.bytes->options & DeviceImage::FlushDenormals;
  options.contract = !(image.bytes->options & DeviceImage::NoContraction);
  options.preciseRoots = !(image.bytes->options & DeviceImage::ApproximateRoots);
  llvm::Expected<std::unique_ptr<DeviceProgram>> program =
      DeviceProgram::create(*image.module, std::move(options));
  if (!program)
    endBroken(program.takeError());
  image.program = std::move(*program);
  if (llvm::Error error = image.memory.addVariables(image.program->variables()))
    endBroken(std::move(error));
  return image;
}

ProgramRuntime::Result ProgramRuntime::launch(const void *host, const Dim3 &grid, const Dim3 &block,
                                              void **arguments, uint64_t dynamicShared) {
  const Symbol *symbol = find(kernels_, host);
  if (!symbol)
    return Result::NoSuchKernel;
  Image &image = ready(symbol->image);
  const DeviceKernel *kernel = image.program->findKernel(symbol->name);
  if (!kernel)
    return Result::NoSuchKernel;
  LaunchRequest request;
  request.launch.kernel = symbol->name;
  request.launch.grid = grid;
  request.launch.block = block;
  request.launch.dynamicSharedBytes = dynamicShared;
  request.memory = &image.memory;
  request.parameters.emplace(kernel->parameterBytes);
  for (size_t i = 0; i < kernel->parameters.size(); ++i)
    std::memcpy(request.parameters->data() + kernel->parameters[i].offset, arguments[i],
                kernel->parameters[i].bytes);
  llvm::Expected<LaunchOutcome> outcome =
      checks_ ? runChecked(image, *kernel, request) : execute(*image.program, *kernel, request);
  if (!outcome) {
    llvm::errs() << "warpwright: " << llvm::toString(outcome.takeError()) << '\n';
    return Result::InvalidConfiguration;
  }
  std::fputs(outcome->printed.c_str(), stdout);
  if (outcome->state == LaunchOutcome::State::Undecided)
    endUndecided(outcome->reason);
  for (const Fault &fault : outcome->faults)
    llvm::errs() << faultToText(fault);
  return outcome->state == LaunchOutcome::State::Done ? Result::Done : Result::LaunchFailure;
}

void ProgramRuntime::addAllocation(const void *begin, size_t bytes) {
  std::scoped_lock lock(allocationsMutex_);
  allocations_[reinterpret_cast<uint64_t>(begin)] = bytes;
}

void ProgramRuntime::removeAllocation(const void *begin) {
  std::scoped_lock lock(allocationsMutex_);
  allocations_.erase(reinterpret_cast<uint64_t>(begin));
}

/// What the program allocated is known by its addresses alone, and counts as initialised.
llvm::Expected<LaunchOutcome> ProgramRuntime::runChecked(Image &image, const DeviceKernel &kernel,
                                                         LaunchRequest &request) {
  DeviceMemory objects;
  for (const MemoryRange &variable : image.memory.ranges())
    objects.addForeign(variable);
  {
    std::scoped_lock lock(allocationsMutex_);
    for (const auto &[begin, bytes] : allocations_) {
      MemoryRange range;
      range.name = "a buffer";
      range.begin = begin;
      range.bytes = bytes;
      objects.addForeign(std::move(range));
    }
  }
  WatchedLaunch watched{image.program->sites(),
                        &kernel,
                        &objects,
                        request.launch.grid,
                        request.launch.block,
                        request.launch.dynamicSharedBytes,
                        nullptr};
  LaunchWatch watch(watched,
                    {.workers = std::max(1u, std::thread::hardware_concurrency()), .counters = false});
  request.monitors = watch.monitors();
  llvm::Expected<LaunchOutcome> outcome = execute(*image.program, kernel, request);
  if (!outcome)
    return outcome;
  mergeFaults(outcome->faults, watch.faults());
  llvm::erase_if(outcome->faults, [](const Fault &fault) { return fault.severity == Severity::Note; });
  if (!outcome->faults.empty())
    outcome->state = LaunchOutcome::State::Faulted;
  return outcome;
}

ProgramRuntime::Variable ProgramRuntime::variable(const void *host) {
  const Symbol *symbol = find(variables_, host);
  if (!symbol)
    return {};
  Image &image = ready(symbol->image);
  llvm::ArrayRef<DeviceVariable> variables = image.program->variables();
  for (size_t i = 0; i < variables.size(); ++i)
    if (variables[i].symbol == symbol->name)
      return {reinterpret_cast<uint8_t *>(image.memory.variableAddress(i)), variables[i].bytes};
  return {};
}

const DeviceKernel *ProgramRuntime::kernel(const void *host) {
  const Symbol *symbol = find(kernels_, host);
  return symbol ? ready(symbol->image).program->findKernel(symbol->name) : nullptr;
}

} // namespace warpwright::vdevice
