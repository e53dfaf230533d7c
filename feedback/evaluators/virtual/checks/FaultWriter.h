#pragma once

#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/checks/ObjectMap.h"

namespace warpwright::vdevice {

/// Puts faults of memory accesses into words.
class FaultWriter {
public:
  explicit FaultWriter(const WatchedLaunch &launch) : launch_(launch) {}

  ThreadPosition positionOf(uint64_t block, uint32_t thread) const {
    return {delinearise(block, launch_.grid), delinearise(thread, launch_.block)};
  }

  /// The party and the memory of a fault; `object` is what the access was, or was probably, meant for.
  void describe(Fault &fault, const ObjectMap &objects, const Access &access,
                const std::optional<Object> &object) const;
  /// "0 bytes past the end (1024 elements)".
  std::string distance(const ObjectMap &objects, const Access &access, const Object &object) const;
  /// A party known by its site: "writes it".
  FaultParty other(uint64_t block, uint32_t thread, uint32_t site) const;
  /// "writes 4 bytes".
  static std::string deed(simt::AccessKind kind, uint64_t bytes, simt::AccessSpace space);

private:
  WatchedLaunch launch_;
};

/// "c[12]" where the object is an array of elements of that size, else "byte 50 of c".
std::string spell(const std::string &name, int64_t offset, uint64_t elementBytes);

} // namespace warpwright::vdevice
