#pragma once

#include "analysis/simt/Counters.h"

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>

namespace warpwright::vdevice {

/// One lane about to touch memory. Addresses are those of the host.
struct Access {
  uint32_t site = 0;   ///< index into the sites of the program
  uint32_t thread = 0; ///< linear index within the block: x + bx * (y + by * z)
  uint64_t address = 0;
  uint32_t bytes = 0; ///< of the whole access; fills and copies of memory may have many
  simt::AccessKind kind = simt::AccessKind::Load;
};

/// Watches the blocks that one worker runs, one after the other. No two calls overlap.
class Monitor {
public:
  virtual ~Monitor() = default;

  /// `block` is the linear index x + gx * (y + gy * z); `threads` as many as run in it.
  virtual void beginBlock(uint64_t block, uint32_t threads) = 0;

  /// Before the access is made. Returns the address to use: the given one, or another where that must not be
  /// touched.
  virtual uint64_t access(const Access &access) = 0;

  /// Memory operations before this, of the threads named, happen before those after it: a block barrier, with
  /// every thread that has not exited, or a named one, with those that take part.
  virtual void barrier(llvm::ArrayRef<uint32_t> threads) = 0;

  /// The same among lanes of one warp: `__syncwarp` and collectives. `lanes` has bit l for lane l.
  virtual void warpSync(uint32_t warp, uint32_t lanes) = 0;

  /// After the last thread returned, or the block was given up.
  virtual void endBlock() = 0;
};

} // namespace warpwright::vdevice
