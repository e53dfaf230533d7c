#pragma once

#include "analysis/simt/LoopLimits.h"

#include <optional>
#include <vector>

namespace warpwright::simt {

/// How the values of a loop move from one iteration to the next, for one warp whose lanes go round together.
///
/// Each phi node of the header has moved by its step in the last iteration; the step of everything that the
/// body computes follows by the rules of sums, and where the values that come back to the header have the
/// very steps of the phi nodes they become, all iterations to come move alike, as long as no branch changes
/// its mind. Only sums, products with what the loop does not change, and casts are followed. Steps are a
/// lane's.
///
/// An iteration then counts what the one `period` before it did: addresses of an access have moved by one
/// multiple of a sector (or of a word, in shared memory) for all lanes alike.
class LoopSteps {
public:
  /// Values of the frame now, and the phi nodes (in the order of LoopForm::phis) one iteration ago.
  struct Values {
    const Slot *registers;
    const std::vector<Slot> &constants;
    const std::vector<Slot> &before;
    LaneMask mask;
  };

  /// None where the loop moves in ways that are not followed.
  static std::optional<LoopSteps> derive(const FunctionCode &code, const LoopForm &loop,
                                         const Values &values);

  unsigned period() const { return period_; }

  /// A block of the loop has run and its phi nodes are as it read them. To be called for each of them within
  /// the period that is to stand for others.
  void observe(int32_t block, const Slot *registers, const std::vector<Slot> &constants) {
    limits_.observe(block, registers, constants, mask_);
  }

  /// How many periods after the last one no comparison changes and nothing wraps. Zero also where one changed
  /// within the last period.
  uint64_t periodsUnchanged(const Slot *registers, const std::vector<Slot> &constants) const {
    return limits_.periodsLeft(registers, constants, mask_, period_);
  }

  /// Moves the phi nodes on by so many periods.
  void advance(Slot *registers, uint64_t periods) const;

private:
  using Step = LoopLimits::Step;

  LoopSteps(const FunctionCode &code, const LoopForm &loop, LaneMask mask)
      : code_(&code), loop_(&loop), mask_(mask), stepOf_(code.slots, unset) {}

  bool readPhis(const Values &values);
  bool visitBlocks(const Values &values);
  bool visit(const Instruction &instruction, const Values &values, const LoopForm::Member &member);
  bool visitSum(const Instruction &instruction, const LoopForm::Member &member);
  bool visitProduct(const Instruction &instruction, const Values &values);
  bool visitAddress(const Instruction &instruction, const LoopForm::Member &member);
  bool visitAccess(const Instruction &instruction);
  bool visitCompare(const Instruction &instruction, const LoopForm::Member &member);
  bool visitEdges(const Instruction &terminator);
  bool hand(const EdgeCopy &copy, bool toHeader);

  void keepInRange(Operand number, const Step &step, unsigned bits, bool isSigned,
                   const LoopForm::Member &member);
  const Step *stepOf(Operand operand) const; ///< null for one that stands still
  bool isInvariant(Operand operand) const;
  bool valueMoves(Operand operand) const;
  void stand(const Instruction &instruction);
  void set(Operand dest, const Step &step, unsigned bits);
  bool same(const Step *a, const Step *b) const;
  static constexpr int32_t unset = -2;
  static constexpr int32_t still = -1;

  const FunctionCode *code_;
  const LoopForm *loop_;
  LaneMask mask_;
  std::vector<int32_t> stepOf_; ///< by slot: index of its step, `still`, or `unset`
  std::vector<Step> steps_;
  LoopLimits limits_;
  unsigned period_ = 1;
};

} // namespace warpwright::simt
