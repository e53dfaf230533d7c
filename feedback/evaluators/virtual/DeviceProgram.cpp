#include "feedback/evaluators/virtual/DeviceProgram.h"

#include "feedback/evaluators/virtual/ProgramAccess.h"
#include "feedback/evaluators/virtual/lowering/Compile.h"
#include "feedback/evaluators/virtual/lowering/DeviceLibrary.h"

#include <mutex>

namespace warpwright::vdevice {

class DeviceProgram::Implementation {
public:
  Implementation(const llvm::Module &module, ProgramOptions options, std::string library,
                 std::unique_ptr<llvm::TargetMachine> host)
      : module(module), options(std::move(options)), library(std::move(library)), host(std::move(host)),
        index(indexModule(module, this->options)) {}

  const llvm::Module &module;
  ProgramOptions options;
  std::string library;
  std::unique_ptr<llvm::TargetMachine> host;
  ModuleIndex index;
  std::mutex mutex; ///< of what follows
  std::map<std::tuple<std::string, Lowering, ThreadOrder>, CompiledKernel> compiled;
};

DeviceProgram::DeviceProgram(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

DeviceProgram::~DeviceProgram() = default;

llvm::Expected<std::unique_ptr<DeviceProgram>> DeviceProgram::create(const llvm::Module &module,
                                                                     ProgramOptions options) {
  if (!module.getTargetTriple().isNVPTX())
    return llvm::createStringError("device IR for '" + module.getTargetTriple().str() + "' is not for NVPTX");
  llvm::Expected<std::string> library = findDeviceLibrary(options.cudaPath);
  if (!library)
    return library.takeError();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> host = createHostMachine();
  if (!host)
    return host.takeError();
  return std::unique_ptr<DeviceProgram>(new DeviceProgram(
      std::make_unique<Implementation>(module, std::move(options), std::move(*library), std::move(*host))));
}

llvm::ArrayRef<Site> DeviceProgram::sites() const {
  return implementation_->index.sites;
}

const ConvergenceMarks &DeviceProgram::marks() const {
  return implementation_->index.marks;
}

llvm::ArrayRef<DeviceVariable> DeviceProgram::variables() const {
  return implementation_->index.variables;
}

const DeviceKernel *DeviceProgram::findKernel(llvm::StringRef symbol) const {
  auto found = implementation_->index.kernels.find(symbol.str());
  return found == implementation_->index.kernels.end() ? nullptr : &found->second.kernel;
}

llvm::Expected<const CompiledKernel *> ProgramAccess::compiled(DeviceProgram &program, llvm::StringRef symbol,
                                                               Lowering lowering, ThreadOrder order) {
  DeviceProgram::Implementation &implementation = *program.implementation_;
  std::scoped_lock lock(implementation.mutex);
  auto kernel = implementation.index.kernels.find(symbol.str());
  assert(kernel != implementation.index.kernels.end() && "kernels come from findKernel");
  // Where regions are no choice one code does for every order.
  if (lowering == Lowering::Shadowed || !kernel->second.usesFibres)
    order = ThreadOrder::Any;
  auto key = std::make_tuple(symbol.str(), lowering, order);
  auto found = implementation.compiled.find(key);
  if (found != implementation.compiled.end())
    return &found->second;
  llvm::Expected<LoweredKernel> lowered =
      lowerKernel(implementation.module, implementation.index, kernel->second, lowering, order,
                  implementation.options, implementation.library, *implementation.host);
  if (!lowered)
    return lowered.takeError();
  llvm::Expected<CompiledKernel> compiled = compileKernel(std::move(*lowered));
  if (!compiled)
    return compiled.takeError();
  return &implementation.compiled.emplace(std::move(key), std::move(*compiled)).first->second;
}

} // namespace warpwright::vdevice
