#pragma once

#include "analysis/arch/Architecture.h"

namespace warpwright {

/// What one operation costs a warp that has nothing else to do.
struct OperationCost {
  unsigned latency = 0;      ///< cycles until a dependent instruction can issue; 0 where it is not known
  unsigned instructions = 1; ///< of the machine, about
};

/// The cost of an operation as DependenceChain names it: "fadd", "load.shared", "sqrt", of 64 bits "fadd.f64"
/// and "add.i64".
///
/// Latencies were read on an H200 (sm_90, driver 580): one warp, 16 and 48 dependent PTX instructions in a
/// loop of 64 rounds, difference of %clock over the difference in length. Single precision and 32-bit
/// integers 4 (an add and an xor 5 each), double 8, pairs of 32-bit integers 4, their products 14; ex2.approx
/// and rsqrt.approx 17, sin.approx 23; div.rn.f32 44, sqrt.rn.f32 43, div.rn.f64 111, sqrt.rn.f64 79; div.u32
/// 130, div.u64 306; conversions between int and float 11; ld.shared 23, ld.global from L1 33, from L2 302.
/// For capability 7.x the CUDA C++ Programming Guide, "Multiprocessor Level", gives the same 4 cycles for
/// most arithmetic; for others than 9.0 there is no table of NVIDIA's, and the numbers are carried over: see
/// `latenciesMeasured`. Library functions beyond these count as their fastest hardware form, so that a sum of
/// latencies is rather too low than too high.
OperationCost costOf(llvm::StringRef operation);

/// Whether the latencies were read on this architecture rather than carried over.
bool latenciesMeasured(const Architecture &architecture);

} // namespace warpwright
