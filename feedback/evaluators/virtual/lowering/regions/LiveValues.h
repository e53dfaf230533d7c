#pragma once

#include "feedback/evaluators/virtual/lowering/regions/Cuts.h"

namespace warpwright::vdevice {

/// Finds a place for the values that live across cuts.
class LiveValues {
public:
  LiveValues(llvm::Function &function, const Uniformity &uniformity, CutFunction &cut)
      : function_(function), uniformity_(uniformity), cut_(cut) {}

  /// Fills CutFunction::hoisted.
  void findHoistable();
  /// Phis at a block that is to be cut become variables.
  void storePhis(llvm::BasicBlock &block);
  /// Once regions are formed: values that live across cuts become variables, or are computed again.
  void storeAcrossCuts();

private:
  bool isHoistable(const llvm::Instruction &instruction) const;
  bool livesAcross(const llvm::Instruction &instruction, const llvm::DominatorTree &dominators) const;
  bool isCheap(const llvm::Value &value, unsigned &budget) const;
  llvm::Value *copy(llvm::Value &value, llvm::Instruction &before) const;
  void computeAgain(llvm::Instruction &instruction) const;

  llvm::Function &function_;
  const Uniformity &uniformity_;
  CutFunction &cut_;
};

} // namespace warpwright::vdevice
