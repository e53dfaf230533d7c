#pragma once

#include "analysis/simt/Code.h"

#include <array>
#include <vector>

namespace warpwright::simt {

/// What a loop's values may not do while iterations are left out: a comparison that changes its outcome, or a
/// number that leaves the range of its bits before it is widened.
///
/// What runs once an iteration is read off the registers. A number inside an inner loop takes many values an
/// iteration, of which the registers hold the last only: `observe` keeps the extremes of all of them. Values
/// of the inner loop's rounds that were themselves left out lie between observed ones, as long as the last
/// of those rounds is run.
class LoopLimits {
public:
  using Step = std::array<int64_t, warpSize>; ///< a lane's, an iteration

  void keepOutcome(const Instruction &comparison, Operand a, const Step &stepA, Operand b, const Step &stepB);
  void keepInRange(Operand number, const Step &step, unsigned bits, bool isSigned);
  /// For a number that `block`, part of an inner loop, reads.
  void keepInRange(Operand number, const Step &step, unsigned bits, bool isSigned, int32_t block);

  /// The block has run and its phi nodes are as it read them.
  void observe(int32_t block, const Slot *registers, const std::vector<Slot> &constants, LaneMask mask);

  /// How many periods of so many iterations may follow the one that has just ended. Zero also where a limit
  /// was passed in that one.
  uint64_t periodsLeft(const Slot *registers, const std::vector<Slot> &constants, LaneMask mask,
                       unsigned period) const;

private:
  struct Comparison {
    const Instruction *instruction;
    Operand a, b;
    Step stepA, stepB;
  };
  struct Number {
    Operand operand;
    Step step;
    unsigned bits;
    bool isSigned;
    int32_t block; ///< -1: it is read once an iteration
    bool seen = false, unknown = false;
    std::array<int64_t, warpSize> least{}, most{};
  };

  std::vector<Comparison> comparisons_;
  std::vector<Number> numbers_;
};

inline const Slot &slotOf(Operand operand, const Slot *registers, const std::vector<Slot> &constants) {
  return operand >= 0 ? registers[operand] : constants[~operand];
}

} // namespace warpwright::simt
