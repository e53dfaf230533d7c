#pragma once

#include "analysis/simt/Code.h"
#include "analysis/simt/Watch.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <map>

namespace warpwright::simt {

/// What warps tell while they run a block under watch.
class Watcher {
public:
  explicit Watcher(const Program &program);

  void startBlock(uint64_t threads);
  /// All warps have come to a barrier or to their end.
  void startInterval() { ++interval_; }

  void atBarrier(unsigned warp, const Instruction &instruction, LaneMask here, LaneMask live, bool onData);
  /// `masks` is the operand that names the lanes.
  void atExchange(unsigned warp, const Instruction &instruction, const Slot &masks, LaneMask here,
                  LaneMask live, bool onData);
  void atAccess(unsigned warp, const Instruction &instruction, const MemoryForm &form,
                const std::array<uint64_t, warpSize> &addresses, LaneMask mask, bool onData);
  /// Before the result is written, where the instruction is of those that make an index.
  void atArithmetic(unsigned warp, const Instruction &instruction, const Slot &left, const Slot &right,
                    LaneMask mask);
  void atWidening(unsigned warp, const Instruction &instruction, const Slot &value, LaneMask mask);

  /// Compares the barriers of the warps, all of which are at their end.
  void endBlock();

  /// In program order.
  std::vector<Hazard> take();

private:
  /// Who touched a byte of shared memory since the last barrier. Two warps are remembered of either kind: a
  /// race needs two that differ.
  struct Touch {
    const llvm::Instruction *instruction = nullptr;
    uint32_t thread = 0;
    uint32_t order = 0; ///< of the instruction in the program
  };
  struct Cell {
    uint64_t interval = 0;
    bool exempt = false; ///< atomic or volatile: its own kind of order
    std::array<Touch, 2> readers, writers;
  };
  struct WarpTrace {
    std::map<const llvm::Instruction *, uint64_t> barriers;
    uint64_t total = 0;
    bool onData = false; ///< some barrier was reached on a way that data decides
    /// The interval in which it last made each access.
    llvm::DenseMap<const llvm::Instruction *, uint64_t> lastAccess;
  };

  bool isNew(Hazard::Kind kind, const llvm::Instruction *instruction) {
    return seen_.insert({static_cast<unsigned>(kind), instruction}).second;
  }
  void touch(Cell &cell, const Touch &touch, bool isWrite);
  void reportRace(const Touch &read, const Touch &write);
  uint32_t orderOf(const llvm::Instruction *instruction);
  bool feedsAddress(const llvm::Instruction *instruction);

  llvm::DenseSet<std::pair<unsigned, const llvm::Instruction *>> seen_;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> order_;
  llvm::DenseMap<const llvm::Instruction *, bool> feedsAddress_;
  std::vector<Cell> shared_;
  std::vector<WarpTrace> warps_;
  std::vector<Hazard> hazards_;
  uint64_t interval_ = 1;
  bool ordersOtherwise_ = false; ///< named barriers, clusters, barrier objects: not followed
};

} // namespace warpwright::simt
