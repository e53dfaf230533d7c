#pragma once

#include "analysis/Launch.h"
#include "analysis/Place.h"
#include "analysis/simt/Counters.h"

#include <nlohmann/json_fwd.hpp>

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::vdevice {

enum class FaultKind : uint8_t {
#define WARPWRIGHT_FAULT(enumerator, id, meaning) enumerator,
#include "feedback/evaluators/virtual/Faults.def"
};

/// The kebab-case id: "out-of-bounds".
const char *toString(FaultKind kind);

/// One thread of a launch.
struct ThreadPosition {
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  auto operator<=>(const ThreadPosition &) const = default;
};

/// "thread (3,0,0) of block (1,0,0)".
std::string toString(const ThreadPosition &position);

/// The indices of the linear index `x + extent.x * (y + extent.y * z)`.
Dim3 delinearise(uint64_t index, const Dim3 &extent);

/// A note is worth knowing and leaves the launch clean: threads that write the same value to the same place.
enum class Severity : uint8_t { Error, Note };

/// Who did what, where: the thread that is at fault, or the other party of a race, a barrier, a deadlock.
struct FaultParty {
  Place place; ///< unknown without line tables
  ThreadPosition position;
  /// What it does, in the present tense and without the subject: "writes 4 bytes at c[1024]".
  std::string deed;
};

/// The bytes that a fault is about, where it is about memory.
struct FaultMemory {
  uint64_t address = 0; ///< of the host
  uint64_t bytes = 0;   ///< of the access
  std::string object;   ///< buffer, variable or array, as the source spells it; empty if none is near
  simt::AccessSpace space = simt::AccessSpace::Global;
  int64_t offset = 0;       ///< in bytes from the object's begin; may lie outside
  uint64_t objectBytes = 0; ///< its size
};

/// One thing that is wrong with a kernel: all occurrences at the same place (and the same other place) are
/// one fault, told by the example that comes first in the order of blocks and threads.
struct Fault {
  FaultKind kind = FaultKind::Trap;
  Severity severity = Severity::Error;
  FaultParty party;
  std::optional<FaultParty> other;
  std::optional<FaultMemory> memory;
  std::string detail; ///< follows the deed: "0 bytes past the end (1024 elements)"
  uint64_t occurrences = 1;

  /// "thread (3,0,0) of block (1,0,0) writes 4 bytes at c[1024], 0 bytes past the end (1024 elements)".
  std::string message() const;
};

/// Adds `faults` to `into`: those of the same kind, severity and places become one, whose occurrences are the
/// sum and whose example is the first by block and thread. The result is sorted by place and does not depend
/// on the order of calls.
void mergeFaults(std::vector<Fault> &into, llvm::ArrayRef<Fault> faults);

/// Whether a launch with these faults is clean: there are none but notes.
bool isClean(llvm::ArrayRef<Fault> faults);

/// {"kind", "severity", "message", "place", "block", "thread", "memory", "other", "occurrences"}; what is not
/// known is left out.
nlohmann::ordered_json faultToJson(const Fault &fault);

/// As Clang prints diagnostics, the other party and the occurrences as notes:
/// "a.cu:7:3: error: thread ... [out-of-bounds]". Ends with a line feed.
std::string faultToText(const Fault &fault);

} // namespace warpwright::vdevice
