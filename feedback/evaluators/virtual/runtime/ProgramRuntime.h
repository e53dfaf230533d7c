#pragma once

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/runtime/DeviceImage.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpwright::vdevice {

/// The device of one process: the images that a program registers when it starts, and the launches of their
/// kernels. Device memory is memory of the process, so that an address means the same on both sides.
class ProgramRuntime {
public:
  /// What ended a launch; codes are those of the CUDA runtime's documentation.
  enum class Result { Done, NoSuchKernel = 98, InvalidConfiguration = 9, LaunchFailure = 719 };

  /// The process's own. The program's constructors register with it before main() begins.
  static ProgramRuntime &instance();

  /// Returns a handle for what follows. The image outlives the process.
  size_t addImage(const DeviceImage &image);
  void addKernel(size_t image, const void *host, const char *symbol);
  void addVariable(size_t image, const void *host, const char *symbol);

  /// One address a parameter, as the CUDA runtime takes them. A kernel that needs what the virtual device
  /// does not have ends the process with exitUndecided, after saying so on standard error: no result of the
  /// program would mean anything. Faults of the kernel are told there, too.
  Result launch(const void *host, const Dim3 &grid, const Dim3 &block, void **arguments,
                uint64_t dynamicShared);
  /// Address and size of a `__device__` or `__constant__` variable; null where there is none.
  struct Variable {
    uint8_t *address = nullptr;
    uint64_t bytes = 0;
  };
  Variable variable(const void *host);
  /// Memory that kernels may touch, as long as it is not released.
  void addAllocation(const void *begin, size_t bytes);
  void removeAllocation(const void *begin);
  /// From now on every launch is watched: what is wrong with a kernel is told although it may come out right.
  /// Takes many times as long.
  void checkLaunches() { checks_ = true; }
  const DeviceKernel *kernel(const void *host);

  static constexpr int exitUndecided = 86;
  [[noreturn]] static void endUndecided(const std::string &reason);

private:
  /// Parsed and made ready when it is first used: a program may register many and launch few.
  struct Image {
    const DeviceImage *bytes = nullptr;
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    std::unique_ptr<DeviceProgram> program;
    DeviceMemory memory; ///< the variables
  };
  struct Symbol {
    size_t image = 0;
    std::string name;
  };

  Image &ready(size_t image);
  llvm::Expected<LaunchOutcome> runChecked(Image &image, const DeviceKernel &kernel, LaunchRequest &request);
  const Symbol *find(const std::map<const void *, Symbol> &symbols, const void *host) const;

  std::vector<std::unique_ptr<Image>> images_;
  std::map<const void *, Symbol> kernels_;
  std::map<const void *, Symbol> variables_;
  std::mutex allocationsMutex_;              ///< programs may allocate from several threads
  std::map<uint64_t, uint64_t> allocations_; ///< bytes by address
  bool checks_ = false;
};

} // namespace warpwright::vdevice
