#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <array>
#include <cstdint>
#include <optional>

namespace warpwright {

/// What one compute capability offers: limits that a launch meets and rates that a kernel can reach, both per
/// multiprocessor (SM). One file of this folder holds one row and names the source of its numbers; 1 KB is
/// 1024 bytes. A number that no source states is left out rather than guessed.
struct Architecture {
  // The same on every row.
  static constexpr unsigned warpSize = 32; ///< threads a warp
  static constexpr unsigned maxThreadsPerBlock = 1024;
  static constexpr unsigned maxRegistersPerThread = 255;
  static constexpr unsigned subPartitions = 4; ///< each has one warp scheduler and its share of the registers
  static constexpr unsigned warpSchedulers =
      subPartitions;                             ///< each issues at most one warp instruction a cycle
  static constexpr unsigned registerUnit = 256;  ///< registers are handed to a warp in multiples of this
  static constexpr unsigned sharedBanks = 32;    ///< shared memory banks,
  static constexpr unsigned sharedBankBytes = 4; ///< each serving one word of this size a cycle
  static constexpr unsigned sectorBytes = 32;    ///< the unit of transfer between L1, L2 and memory
  static constexpr unsigned maxStaticSharedPerBlock = 48 * 1024; ///< bytes without the opt-in attribute
  /// Shared-memory sizes that the carve-out can be set to, in KB, ascending, filled up with zeros. The size
  /// 0, which most devices also know, is left out: where blocks carry reserved bytes it holds none.
  static constexpr unsigned maxSharedConfigurations = 10;

  llvm::StringRef name; ///< as nvcc's -arch spells it: "sm_90"
  unsigned major = 0;
  unsigned minor = 0;

  unsigned maxWarps = 0;      ///< resident warps
  unsigned maxBlocks = 0;     ///< resident blocks
  unsigned maxBarriers = 0;   ///< block barriers over all resident blocks
  unsigned registers = 65536; ///< 32-bit registers; as many may go to one block
  /// The driver gives a thread at least this many, whatever ptxas reports.
  unsigned minRegistersPerThread = 16;

  unsigned dataCacheKB = 0;            ///< L1 and shared memory together
  unsigned sharedUnit = 0;             ///< bytes: shared memory is handed to a block in multiples of this
  unsigned reservedSharedPerBlock = 0; ///< bytes that the system adds to each block
  unsigned maxSharedPerBlock = 0;      ///< bytes a block may use with the opt-in attribute
  std::array<uint16_t, maxSharedConfigurations> sharedConfigurationsKB = {};
  /// How far the driver grows the carve-out beyond what resident blocks need; see Occupancy.h.
  unsigned carveOutGrowthKB = 0;
  /// Whether the carve-out rule was measured on this architecture, or is carried over from one where it was.
  bool carveOutMeasured = false;

  std::optional<unsigned> l2KB; ///< of the largest chip that the row names; smaller chips have less

  // Results a cycle. A warp instruction takes 32 / rate cycles of its unit.
  unsigned fp32 = 0;               ///< add, multiply, multiply-add
  unsigned fp64 = 0;               ///< the same in double precision
  std::optional<unsigned> special; ///< reciprocal, square roots, exponential, logarithm, sine, cosine
  std::optional<unsigned> int32Add;
  std::optional<unsigned> int32Multiply;

  constexpr unsigned maxThreads() const { return maxWarps * warpSize; }
  /// How many times dearer a double-precision operation is than a single-precision one.
  constexpr unsigned fp64Ratio() const { return fp32 / fp64; }
  /// The carve-out sizes in KB, ascending; never empty.
  llvm::ArrayRef<uint16_t> sharedConfigurations() const;
  /// The largest carve-out in bytes.
  uint64_t sharedBytes() const { return uint64_t(sharedConfigurations().back()) * 1024; }
};

/// Every known architecture, ascending by compute capability.
llvm::ArrayRef<Architecture> architectures();

/// The row for "sm_90", "compute_90" or "90", also with a suffix of architecture- or family-specific code
/// ("90a", "sm_100f"); "101" is the former name of "110". Null for anything else, virtual names ("native",
/// "all") included: nothing is rounded to a neighbour, because limits differ within a generation.
const Architecture *findArchitecture(llvm::StringRef name);

} // namespace warpwright
