#pragma once

#include "analysis/Launch.h"
#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/Monitor.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpwright::vdevice {

class DeviceMemory;

struct LaunchRequest {
  /// Grid, block, dynamic shared memory, and the scalars by parameter name.
  Launch launch;
  /// Addresses in `memory` by parameter name, or "parameter.member".
  std::map<std::string, uint64_t> pointers;
  /// The buffers, and the program's variables.
  DeviceMemory *memory = nullptr;
  /// One a worker, whose number they are; none: the plain lowering.
  std::vector<Monitor *> monitors;
  /// Threads of the host that run blocks; 0: as many as it has cores. Of no meaning with monitors.
  unsigned workers = 0;
  /// 0: blocks and warps start in ascending order. Others: in an order drawn from this seed.
  uint64_t orderSeed = 0;
  /// Iterations of loops whose end is not in sight that one thread may make.
  uint64_t stepLimit = 100'000'000;
};

struct LaunchOutcome {
  enum class State { Done, Faulted, Undecided };
  State state = State::Done;
  std::string reason;        ///< of Undecided: "undecided: <intrinsic>"
  std::vector<Fault> faults; ///< found by execution itself; what monitors find is theirs
  std::string printed;       ///< by the kernel, block by block in ascending order
};

/// Runs one launch to its end. Errors: a parameter without a value, an argument that no parameter takes, a
/// grid or block that is empty or larger than the device allows, more shared memory than a block may have.
llvm::Expected<LaunchOutcome> execute(DeviceProgram &program, const DeviceKernel &kernel,
                                      const LaunchRequest &request);

} // namespace warpwright::vdevice
