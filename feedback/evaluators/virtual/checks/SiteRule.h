#pragma once

#include "feedback/evaluators/virtual/DeviceProgram.h"

#include <cstdint>

namespace warpwright::vdevice {

/// What the checks need to know of a site, read off its instruction once.
struct SiteRule {
  uint32_t alignment = 1; ///< the address must be a multiple of this; a power of two
  bool isAligned(uint64_t address) const { return (address & (alignment - 1)) == 0; }
  /// Bytes that are read as one value. A read is of uninitialised memory where all bytes of a unit are;
  /// single bytes are not, as copies of structs read the gaps between their members, too.
  uint32_t unitBytes = 4;
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  bool isLock = false;         ///< exchanges, as locks made by hand do
  bool isVolatile = false;     ///< or an atomic load or store: meant to be seen by other threads
  bool storesConstant = false; ///< always the same value
  bool copiesBlock = false;    ///< a copy of memory whose bytes nobody looks at
};

SiteRule ruleOf(const Site &site);

} // namespace warpwright::vdevice
