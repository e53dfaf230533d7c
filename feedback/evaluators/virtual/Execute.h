#pragma once

#include "analysis/Launch.h"
#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/Monitor.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::vdevice {

class DeviceMemory;
class ShadowMemory;

struct LaunchRequest {
  /// Grid, block, dynamic shared memory, and the scalars by parameter name.
  Launch launch;
  /// Addresses in `memory` by parameter name, or "parameter.member".
  std::map<std::string, uint64_t> pointers;
  /// The block of parameters, laid out as DeviceKernel::parameters says, for whoever has it; what goes by
  /// name is then not read.
  std::optional<std::vector<uint8_t>> parameters;
  /// The buffers, and the program's variables.
  DeviceMemory *memory = nullptr;
  /// One a worker, whose number they are; none: the plain lowering.
  std::vector<Monitor *> monitors;
  /// Threads of the host that run blocks; 0: as many as it has cores. Of no meaning with monitors.
  unsigned workers = 0;
  /// Keeps what numbers in memory would be in double precision; with one monitor alone. Null: nobody asks.
  ShadowMemory *shadow = nullptr;
  /// 0: blocks and warps start in ascending order. Others: in an order drawn from this seed.
  uint64_t orderSeed = 0;
  /// Iterations of loops whose end is not in sight that one thread may make.
  uint64_t stepLimit = 100'000'000;
};

/// That of watched launches where nobody says otherwise: an iteration of one may take half a microsecond, so
/// that a thread that never ends costs seconds.
inline constexpr uint64_t watchedStepLimit = 4'000'000;

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
