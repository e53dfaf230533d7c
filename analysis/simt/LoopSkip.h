#pragma once

#include "analysis/simt/Code.h"
#include "analysis/simt/Counters.h"

#include <array>
#include <vector>

namespace warpwright::simt {

struct Tally;

/// Watches a warp go round a loop of one block, and jumps over iterations that can only repeat what was
/// counted. Iterations are compared in windows: all integers that the block computes must have moved by the
/// same amount in two windows running, and both must have counted the same. Then whole windows are skipped as
/// long as no comparison of the block changes its outcome. Blocks whose integers are not sums and products
/// (remainders, shifts to the right, bit patterns) are not skipped.
class LoopSkip {
public:
  /// Iterations of a window. Addresses that move by whole words come to the same place in a sector after at
  /// most 8.
  static constexpr uint64_t window = 32;

  /// Called when every lane of `mask` is about to run the block again; `registers` are the frame's. Returns
  /// the number of iterations that were skipped: `tally` and the block's phi nodes are as if they had run.
  uint64_t goAround(const FunctionCode &code, int32_t block, LaneMask mask, Slot *registers,
                    const std::vector<Slot> &constants, Tally &tally);

  /// Control went anywhere else: what was seen of the loop is over.
  void forget() { code_ = nullptr; }

private:
  struct Snapshot {
    std::vector<Slot> slots;
    std::vector<AccessTally> sites;
    std::vector<BranchTally> branches;
    InstructionTally instructions;
  };

  void watch(const FunctionCode &code, int32_t block, LaneMask mask);
  Snapshot take(const Slot *registers, const Tally &tally) const;
  bool movesEvenly() const;
  bool loadsData(const Slot *registers) const;
  bool countsEvenly() const;
  uint64_t windowsUntilChange(const Slot *registers, const std::vector<Slot> &constants) const;
  uint64_t windowsOf(const Instruction &compare, const Slot *registers, const std::vector<Slot> &constants,
                     unsigned lane) const;
  bool valueAndStep(Operand operand, const Slot *registers, const std::vector<Slot> &constants, unsigned lane,
                    unsigned bits, bool isSigned, __int128 &value, __int128 &step) const;
  void apply(uint64_t windows, Slot *registers, Tally &tally) const;

  const FunctionCode *code_ = nullptr;
  int32_t block_ = -1;
  LaneMask mask_ = 0;
  bool fits_ = false;
  uint64_t iterations_ = 0;
  std::vector<Operand> watched_; ///< integer registers that the block writes
  std::vector<unsigned> bits_;   ///< their widths
  std::vector<Operand> others_;  ///< registers it writes with anything else
  std::vector<EdgeCopy> phis_;
  std::array<Snapshot, 3> snapshots_;
};

} // namespace warpwright::simt
