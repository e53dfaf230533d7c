#pragma once

#include "analysis/simt/Code.h"

#include <llvm/IR/InstrTypes.h>

#include <array>
#include <optional>
#include <vector>

namespace warpwright::simt {

/// A comparison of two numbers that move in steps.
struct MovingComparison {
  llvm::CmpInst::Predicate predicate;
  unsigned bits = 0; ///< of the numbers; their signs are the predicate's business
  __int128 a = 0, b = 0;
  __int128 stepA = 0, stepB = 0;

  /// The outcome is what it is now after `steps` more (or, below zero, was before as many), at every step
  /// between, and no number leaves its range.
  bool staysAt(int64_t steps) const;
  /// How many steps it surely stays; `most` where it never changes.
  uint64_t stepsUnchanged(uint64_t most) const;
};

/// A register's bits as the number that the predicate compares.
__int128 comparedNumber(uint64_t raw, unsigned bits, llvm::CmpInst::Predicate predicate);

/// Fills in what LoopForm says of the instructions, once the program is decoded and sliced.
void describeLoops(Program &program);

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

  /// How many periods after the last one no comparison changes and nothing wraps. Zero also where one changed
  /// within the last period.
  uint64_t periodsUnchanged(const Slot *registers, const std::vector<Slot> &constants) const;

  /// Moves the phi nodes on by so many periods.
  void advance(Slot *registers, uint64_t periods) const;

private:
  using Step = std::array<int64_t, warpSize>;
  /// What a value may not do while iterations are left out: a comparison that must not change, or a number
  /// that must stay in a range of its bits.
  struct Watched {
    const Instruction *compare = nullptr;
    Operand a = 0, b = 0;
    Step stepA{}, stepB{};
    unsigned bits = 0;
    bool isSigned = false;
  };

  LoopSteps(const FunctionCode &code, const LoopForm &loop, LaneMask mask)
      : code_(&code), loop_(&loop), mask_(mask), stepOf_(code.slots, unset) {}

  bool readPhis(const Values &values);
  bool visitBlocks(const Values &values);
  bool visit(const Instruction &instruction, const Values &values, bool everyIteration);
  bool visitSum(const Instruction &instruction);
  bool visitProduct(const Instruction &instruction, const Values &values);
  bool visitAddress(const Instruction &instruction);
  bool visitAccess(const Instruction &instruction);
  bool visitCompare(const Instruction &instruction, bool everyIteration);
  bool visitEdges(const Instruction &terminator);
  bool hand(const EdgeCopy &copy, bool toHeader);

  const Step *stepOf(Operand operand) const; ///< null for one that stands still
  bool isInvariant(Operand operand) const;
  bool valueMoves(Operand operand) const;
  void stand(const Instruction &instruction);
  void set(Operand dest, const Step &step, unsigned bits);
  bool same(const Step *a, const Step *b) const;
  bool outOfRange(const Watched &watched, const Slot *registers, const std::vector<Slot> &constants,
                  uint64_t &periods) const;

  static constexpr int32_t unset = -2;
  static constexpr int32_t still = -1;

  const FunctionCode *code_;
  const LoopForm *loop_;
  LaneMask mask_;
  std::vector<int32_t> stepOf_; ///< by slot: index of its step, `still`, or `unset`
  std::vector<Step> steps_;
  std::vector<Watched> watched_;
  unsigned period_ = 1;
};

} // namespace warpwright::simt
