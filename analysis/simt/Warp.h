#pragma once

#include "analysis/simt/Code.h"
#include "analysis/simt/CostCache.h"
#include "analysis/simt/HardwareRules.h"
#include "analysis/simt/LoopJump.h"
#include "analysis/simt/LoopSkip.h"
#include "analysis/simt/Memory.h"
#include "analysis/simt/Tally.h"
#include "analysis/simt/Watcher.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseSet.h>

#include <vector>

namespace warpwright::simt {

/// What is learnt about trust while warps run.
struct Doubts {
  llvm::BitVector dataSites;   ///< sites whose address, mask or reaching branch depends on data
  llvm::BitVector seenUnknown; ///< entries of Program::unknown that were executed
  llvm::DenseSet<const Instruction *>
      dataBranches;               ///< branches that depend on data, whose regions are marked
  uint64_t skippedIterations = 0; ///< of loops, that other iterations stand for
  bool outOfSteps = false;
};

/// Everything warps of one launch share.
struct WarpContext {
  const Program &program;
  DeviceMemory &memory;
  Tally &tally;
  Doubts &doubts;
  CostCache &costs;
  std::array<uint64_t, 3> grid;
  std::array<uint64_t, 3> block;
  uint64_t dynamicSharedBytes = 0;
  uint64_t stepLimit = 0;     ///< of Tally::steps; reaching it stops the warp
  uint64_t registerLimit = 0; ///< of a warp; a call that would need more stops it
  bool alone = false;         ///< one warp runs to its end, no other counts into the tally meanwhile
  Watcher *watcher = nullptr; ///< is told of what happens; then no iteration stands for others
};

/// One warp of one block: its frames, registers and local memory. Lanes run in lockstep; where they part, the
/// ones that take the branch's first successor go first, and all meet again at the branch's immediate
/// post-dominator.
class Warp {
public:
  enum class State { AtBarrier, Done };

  /// `parameters` are the kernel's, one slot each in order.
  Warp(WarpContext &context, std::array<uint64_t, 3> blockIndex, unsigned warpIndex,
       llvm::ArrayRef<Slot> parameters);

  /// Runs until a barrier or the end.
  State run();

private:
  /// Lanes that run together until they reach `join`.
  struct Path {
    int32_t block;
    int32_t join;
    LaneMask mask;
    bool onData; ///< the branch that led here depends on data
  };
  struct Frame {
    const FunctionCode *code;
    uint32_t base; ///< of its registers
    uint32_t pc;
    std::vector<Path> paths;
    Operand result; ///< slot of the caller that takes the returned value
    uint64_t localTop;
  };
  enum class Next { Instruction, Frame, Barrier };

  // Warp.cpp: frames, paths
  Next step(Frame &frame, const Instruction &instruction);
  Next runPath();
  void enter(const FunctionCode &code, LaneMask mask, bool onData, Operand result);
  void endLanes(Frame &frame, LaneMask mask, bool wholeThread);
  void take(Frame &frame, const Edge &edge, LaneMask mask, bool onData);
  void goTo(Frame &frame, int32_t block);
  void branch(Frame &frame, const Instruction &instruction);
  void followAlone(Frame &frame, const Edge &edge);
  void forgetLoops();
  void countBranch(const Instruction &instruction, LaneMask taken, bool onData);
  void switchTo(Frame &frame, const Instruction &instruction);
  void split(Frame &frame, llvm::ArrayRef<std::pair<const Edge *, LaneMask>> ways, bool onData);
  void call(Frame &frame, const Instruction &instruction);
  void returnFrom(Frame &frame, const Instruction &instruction);
  void issuePredicatedOff(const FunctionCode &code, const Block &block);
  void doubtRegion(const FunctionCode &code, int32_t from, int32_t join);
  void doubtSites(const FunctionCode &code, const Block &block);
  void count(const Instruction &instruction);
  LaneMask liveLanes() const;

  // WarpValues.cpp
  void compute(const Instruction &instruction);
  void computeElements(const Instruction &instruction);
  void copy(const Instruction &instruction);
  void repack(const Instruction &instruction);
  void address(const Instruction &instruction);
  void select(const Instruction &instruction);
  void extractElement(const Instruction &instruction);
  void insertElement(const Instruction &instruction);
  void math(const Instruction &instruction);
  void opaque(const Instruction &instruction);
  void readSpecialRegister(const Instruction &instruction);
  uint64_t specialRegister(uint8_t which, unsigned lane) const;

  // WarpExchange.cpp
  void exchange(const Instruction &instruction);
  void shuffle(const Instruction &instruction);
  void vote(const Instruction &instruction);
  void match(const Instruction &instruction);
  void reduce(const Instruction &instruction);
  void watchExchange(const Instruction &instruction);

  // WarpMemory.cpp
  void accessMemory(const Instruction &instruction);
  void countAccess(const MemoryForm &form, const LaneAddresses &addresses, bool onData);
  void countPiece(const MemoryForm &form, uint32_t site, unsigned bytes, const LaneAddresses &addresses,
                  LaneMask mask, bool onData);
  LaneAddresses genericAddresses(const MemoryForm &form, const Slot &base) const;
  void load(const Instruction &instruction, const MemoryForm &form, const LaneAddresses &addresses,
            LaneMask addressTaint);
  void store(const Instruction &instruction, const MemoryForm &form, const LaneAddresses &addresses);
  void atomic(const Instruction &instruction, const MemoryForm &form, const LaneAddresses &addresses,
              LaneMask addressTaint);
  void moveBlock(const Instruction &instruction);
  void allocate(const Instruction &instruction);
  bool readMemory(uint64_t address, unsigned lane, unsigned bytes, uint64_t &value) const;
  void writeMemory(uint64_t address, unsigned lane, unsigned bytes, uint64_t value, bool known);

  const Slot &read(Operand operand) const {
    return operand >= 0 ? registers_[base_ + operand] : context_.program.constants[~operand];
  }
  Slot &write(Operand operand) { return registers_[base_ + operand]; }
  Operand operandOf(const Instruction &instruction, unsigned index) const {
    return code_->operands[instruction.firstOperand + index];
  }

  WarpContext &context_;
  std::array<uint64_t, 3> blockIndex_;
  unsigned warpIndex_;
  std::vector<Frame> frames_;
  std::vector<Slot> registers_;
  LocalMemory local_;
  LoopJump loopJump_;
  LoopSkip loopSkip_;

  // Of the frame and path that run now.
  const FunctionCode *code_ = nullptr;
  uint32_t base_ = 0;
  LaneMask mask_ = 0;
  bool onData_ = false;
};

/// Registers of all warps that run at once, 264 bytes each; the interpreter's memory is bounded by them, by
/// what is kept of local memory and by the pages of global memory.
inline constexpr uint64_t mostRegistersAtOnce = 1'000'000;

/// Runs all warps of a block from barrier to barrier.
void runBlock(WarpContext &context, std::array<uint64_t, 3> blockIndex, uint64_t warps,
              llvm::ArrayRef<Slot> parameters);

} // namespace warpwright::simt
