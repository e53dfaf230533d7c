#pragma once

#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/verify/Draw.h"
#include "feedback/evaluators/virtual/verify/Subject.h"
#include "rewriters/LaunchPlan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::vdevice {

/// A buffer of the original's launch.
struct RunBuffer {
  std::string name; ///< pointer parameter of the original
  std::vector<uint8_t> contents;
  bool initialised = true; ///< false: reading before writing is a fault
  unsigned misalignment = 0;
  unsigned elementBytes = 0;
  /// The buffer, by position among earlier ones, at whose begin this one begins, too; its contents count
  /// then.
  std::optional<size_t> alias;
};

struct RunRequest {
  const Subject *subject = nullptr;
  const ConcretePlan *plan = nullptr;
  llvm::ArrayRef<RunBuffer> buffers;
  /// Every check; otherwise only addresses are looked at, which is several times faster.
  bool checked = true;
  uint64_t orderSeed = 0;                ///< of blocks and warps; 0: ascending
  uint64_t stepLimit = watchedStepLimit; ///< of each launch, see LaunchRequest
  /// What each buffer holds: numbers are then shadowed in double precision. Empty: they are not.
  llvm::ArrayRef<ElementShape> shadowed;
  /// A byte of a buffer whose last writer is to be found.
  struct Watch {
    size_t buffer = 0;
    uint64_t byte = 0;
  };
  std::optional<Watch> watch;
};

struct RunResult {
  LaunchOutcome::State state = LaunchOutcome::State::Done;
  std::string reason;                         ///< of Undecided
  std::vector<Fault> faults;                  ///< errors alone; notes are left out
  std::vector<std::vector<uint8_t>> contents; ///< of each buffer; of Done alone
  /// The same for variables of the device that are not constant, by name.
  std::vector<std::pair<std::string, std::vector<uint8_t>>> variables;
  /// Of `shadowed`: what the numbers of each buffer would be in double precision, in the order of elements
  /// and their parts; empty where an element is not understood.
  std::vector<std::vector<double>> references;
  std::string unshadowed;        ///< why those are no reference; empty where they are
  std::vector<uint64_t> touched; ///< of each buffer, one more than the last byte that was read or written
  uint64_t accesses = 0;         ///< by lanes
  std::optional<FaultParty> lastStore; ///< of the watched byte
  bool strayed = false;                ///< without checks: some access lay in no object
};

/// Runs a plan in a device memory of its own: the same call gives the same result. Errors: a launch that the
/// device does not take, buffers beyond memory.
llvm::Expected<RunResult> runPlan(const RunRequest &request);

} // namespace warpwright::vdevice
