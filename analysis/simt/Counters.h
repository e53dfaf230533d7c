#pragma once

#include "analysis/Place.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Instruction;
}

namespace warpwright::simt {

/// How far a count can be trusted; later ones are weaker.
enum class CountGrade {
  Exact,     ///< follows from the code, the launch and the arguments
  Assumed,   ///< some address, branch or loop bound was read from buffers, which were taken to be filled with
             ///< zero
  Estimated, ///< sampled: some blocks, warps or iterations stand for others
  Unknown    ///< cannot be said
};

/// "exact", "assumed", "estimated" or "unknown".
const char *toString(CountGrade grade);

/// Asynchronous copies from global to shared memory are neither loads nor stores to the hardware's counters.
enum class AccessKind { Load, Store, Atomic, AsyncCopy };
enum class AccessSpace { Global, Shared, Local, Constant };
const char *toString(AccessKind kind);
const char *toString(AccessSpace space);

/// Sums over the whole launch for one access.
struct AccessTally {
  uint64_t instructions = 0; ///< warp instructions issued, those whose lanes were all predicated off included
  uint64_t requests = 0;     ///< warp instructions with an active lane
  uint64_t lanes = 0;        ///< active lanes, summed over requests
  uint64_t bytes = 0;        ///< bytes asked for by active lanes
  uint64_t sectors = 0;      ///< distinct 32-byte segments a request, summed; global only
  uint64_t wavefronts = 0;   ///< passes through the shared-memory banks; shared only
  uint64_t bankConflicts =
      0; ///< passes that a conflict-free access of that width would not need; shared only
  uint64_t distinctBytes = 0;   ///< bytes that some lane asks for, once a request; global, and shared atomics
  uint64_t idealSectors = 0;    ///< ceil(distinct bytes / 32) a request, summed; global only
  uint64_t shiftedRequests = 0; ///< requests for one run of bytes that takes a sector more than it fills: its
                                ///< start is off; global only
  uint64_t sameAddressLanes = 0; ///< the largest number of lanes with one address, summed over requests: the
                                 ///< machine serves them one after the other; atomics only

  AccessTally &operator+=(const AccessTally &other);
  AccessTally operator-(const AccessTally &other) const;
  AccessTally operator*(uint64_t times) const;
  bool operator==(const AccessTally &) const = default;
};

/// One memory instruction of the analysed IR in one address space, which a generic pointer may change between
/// executions.
struct AccessCounters {
  const llvm::Instruction *instruction = nullptr; ///< lives as long as the module that was analysed
  Place place; ///< of the access in the source; unknown without line tables
  AccessKind kind = AccessKind::Load;
  AccessSpace space = AccessSpace::Global;
  unsigned bytesPerLane = 0; ///< of one instruction, 1 to 16; wider accesses are several instructions
  AccessTally tally;
  CountGrade grade = CountGrade::Exact;
  std::string reason; ///< empty only where the grade is exact
};

/// How warps took one conditional branch, summed over the launch.
struct BranchTally {
  uint64_t executions = 0; ///< by warps
  uint64_t diverged = 0;   ///< of those, with lanes on both sides
  uint64_t onData = 0;     ///< of those, with a condition that depends on data
  uint64_t lanes = 0;      ///< active lanes, summed over executions
  uint64_t takenWarps = 0; ///< executions with a lane on the first side
  uint64_t takenLanes = 0;
  uint64_t notTakenWarps = 0;
  uint64_t notTakenLanes = 0;

  BranchTally &operator+=(const BranchTally &other);
  BranchTally operator-(const BranchTally &earlier) const;
  BranchTally operator*(uint64_t times) const;
  bool operator==(const BranchTally &) const = default;
};

/// One conditional branch of the analysed IR that ran.
struct BranchCounters {
  const llvm::Instruction *instruction = nullptr; ///< lives as long as the module that was analysed
  Place place;
  BranchTally tally;
  CountGrade grade = CountGrade::Exact; ///< assumed where some condition depends on data
};

/// Something that may touch memory in a way that was not understood.
struct UnknownAccess {
  const llvm::Instruction *instruction = nullptr;
  Place place;
  std::string reason;
};

/// Classes of IR-level instructions. These are not the machine's: address arithmetic folds and conversions
/// vanish.
enum class InstructionClass : uint8_t {
  Integer,
  IntegerDivision,
  Float32,
  Float64,
  SpecialFunction,
  Control,
  Memory,
  Shuffle,
  Barrier,
  None ///< costs nothing: constants, bit casts, phi
};
inline constexpr unsigned instructionClasses = static_cast<unsigned>(InstructionClass::None);
const char *toString(InstructionClass kind);

/// Executed instructions a class: once a warp, and once a lane.
struct InstructionTally {
  std::array<uint64_t, instructionClasses> warp{};
  std::array<uint64_t, instructionClasses> thread{};
  bool operator==(const InstructionTally &) const = default;
};

/// What a launch costs, by analysis.
struct LaunchCounters {
  std::vector<AccessCounters> accesses; ///< in program order
  std::vector<BranchCounters> branches; ///< those that ran, in program order
  std::vector<UnknownAccess> unknown;   ///< not in any total
  InstructionTally instructions;
  CountGrade grade = CountGrade::Exact; ///< the weakest of everything counted
  std::string reason;                   ///< why it is not exact; how it was sampled
  uint64_t steps = 0;                   ///< warp instructions interpreted to find out

  /// Sum over all accesses of that kind and space.
  AccessTally total(AccessKind kind, AccessSpace space) const;
};

/// The `counters` object of a launch: the sums under the names of the hardware's counters, then grade and
/// reason.
nlohmann::ordered_json countersToJson(const LaunchCounters &counters);

/// The same with every access: {"counters": {...}, "instructions": {...}, "accesses": [...], "unknown":
/// [...]}.
nlohmann::ordered_json detailsToJson(const LaunchCounters &counters);

} // namespace warpwright::simt
