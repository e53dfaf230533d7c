#pragma once

#include "feedback/evaluators/virtual/Fault.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace warpwright::vdevice {

/// The faults that one worker finds: of all occurrences at the same sites one example, the first in the order
/// of blocks and threads.
class FaultLog {
public:
  static constexpr uint32_t noSite = ~uint32_t(0);

  struct Occurrence {
    FaultKind kind = FaultKind::OutOfBounds;
    Severity severity = Severity::Error;
    uint32_t site = 0;
    uint32_t otherSite = noSite;
    uint64_t block = 0;
    uint32_t thread = 0;
  };

  /// Counts one. Returns where its description belongs, if it is the first or comes before the one that was
  /// kept, else null: descriptions take time, and a faulty kernel may fault a million times.
  Fault *record(const Occurrence &occurrence);

  /// All that was recorded, merged by place.
  std::vector<Fault> faults() const;

private:
  struct Entry {
    Fault fault;
    uint64_t block = 0;
    uint32_t thread = 0;
  };
  using Key = std::tuple<FaultKind, Severity, uint32_t, uint32_t>;
  std::map<Key, Entry> entries_;
};

} // namespace warpwright::vdevice
