#pragma once

#include <string>

namespace warpwright::runner {

/// PTX of the kernels by which a device's rates and latencies are measured: hand-written, so that the driver
/// alone makes code of it for whatever device there is. Each has one entry of this name, and these
/// parameters, in this order; what a kernel does not need it ignores.
///
///     .u64 data    memory that the kernel reads or writes
///     .u64 out     three 64-bit words: cycles, nanoseconds, and what keeps the work from being dead
///     .u32 mask    the region's elements less one; elements are 16 bytes, their number a power of two
///     .u32 offset  bytes from a block's region to the next block's
///     .u32 start   elements from a block's first to the next block's
///     .u32 step    elements from one access of a thread to its next
///     .u32 rounds  of the loop
inline constexpr const char *probeEntry = "warpwright_probe";

/// Accesses and operations of a thread in one round of the loop.
inline constexpr unsigned accessesARound = 8;
inline constexpr unsigned loadsARound = 4; ///< of a chase
inline constexpr unsigned chains = 8;      ///< independent, of an arithmetic probe
inline constexpr unsigned operationsARound = 16 * chains;

/// Loads of 16 bytes with that cache operator: "ca" through L1, "cg" from L2 on.
std::string readProbe(const std::string &cacheOperator);
/// Stores of 16 bytes.
std::string writeProbe();
/// Loads of 16 bytes from shared memory, without bank conflicts.
std::string sharedReadProbe();

/// Loads that each need the one before, in one thread. `out` gets the cycles of `rounds` rounds; `step`
/// rounds come before, untimed. `data` is the first of pointers, each to the next.
std::string chaseProbe(const std::string &cacheOperator);
/// The same in shared memory; the kernel makes its own pointers.
std::string sharedChaseProbe();

/// What an arithmetic probe repeats.
struct ProbeOperation {
  const char *id;          ///< of the result
  const char *instruction; ///< PTX
  const char *type;        ///< of its registers
  const char *convert;     ///< a thread's number into such a register
  unsigned operands;       ///< besides the destination; the first is the destination again
  unsigned operations;     ///< of one thread's instruction: a multiply-add is two
};
std::string arithmeticProbe(const ProbeOperation &operation);
/// Products of 16 x 16 and 16 x 8 halves, summed in single precision. For capability 8.0 and later.
std::string tensorProbe();
inline constexpr unsigned operationsAWarpProduct = 2 * 16 * 8 * 16;

/// Nothing.
std::string emptyProbe();

} // namespace warpwright::runner
