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
  bool hasValue = false; ///< `value` is known
  uint64_t value = 0;    ///< of a store of up to 8 bytes, the bits that it writes
};

/// A block that is about to run, and where the memory lies that is its own. What lies where in there is
/// DeviceKernel's to say.
struct BlockPlace {
  uint64_t block = 0;      ///< the linear index x + gx * (y + gy * z)
  uint32_t threads = 0;    ///< as many as run in it
  uint64_t shared = 0;     ///< address of the first byte of its shared memory
  uint64_t local = 0;      ///< of the local memory of its first thread
  uint64_t localBytes = 0; ///< from one thread's local memory to the next one's
};

/// Watches the blocks that one worker runs, one after the other. No two calls overlap. Calls with an empty
/// body here are details that sharpen what a monitor says; where they never come it stays right, but coarser.
class Monitor {
public:
  virtual ~Monitor() = default;

  virtual void beginBlock(const BlockPlace &place) = 0;

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

  /// The thread returned, and makes no more accesses. Barriers that come later order what it did before what
  /// follows them.
  virtual void threadEnd(uint32_t thread) {}

  /// A fence that other blocks can see: `__threadfence`, `__threadfence_system`, or the fence inside an
  /// atomic with release or acquire semantics (then called before the access itself).
  virtual void fence(uint32_t thread) {}

  /// An asynchronous copy that access() was told of when it was issued, with the address that it returned,
  /// takes effect: its thread has waited for it. Until then memory holds what it held before.
  virtual void copied(const Access &access) {}

  /// The thread is at the header of a loop, for the first time since it entered it or again. Lanes of a warp
  /// that are in the same iteration of each loop around an access make one request. `loop` counts the loops
  /// of the program.
  virtual void iteration(uint32_t thread, uint32_t loop, bool first) {}

  /// The thread is at the guard of a short conditional, which the machine predicates instead of jumping over
  /// it: a warp issues the accesses in it even if no lane makes them, of which `site` is the first. Called
  /// before each such conditional.
  virtual void reached(uint32_t thread, uint32_t site) {}
};

} // namespace warpwright::vdevice
