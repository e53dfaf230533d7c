#pragma once

#include "feedback/evaluators/virtual/execution/Matrices.h"

#include <llvm/IR/IRBuilder.h>

namespace warpwright::vdevice {

struct LoweringState;

/// Builds what the lanes of a warp do together with matrices. `origin` says where that is in the source.
class MatrixBuilder {
public:
  MatrixBuilder(LoweringState &state, llvm::IRBuilder<> &builder, llvm::Instruction &origin)
      : state_(state), builder_(builder), origin_(origin) {}

  /// Hands the words to the operation, and returns as many of the words that it left as there are results.
  llvm::SmallVector<llvm::Value *, 8> perform(const MatrixOperation &operation,
                                              llvm::ArrayRef<llvm::Value *> words, unsigned results);
  /// Runs `build` for lanes below `lanes` alone. Afterwards the builder stands before `origin` again.
  void forFirstLanes(unsigned lanes, llvm::function_ref<void()> build);

private:
  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  llvm::Instruction &origin_;
};

/// Lowers the call of an intrinsic "wmma." ("llvm.nvvm." taken off its name): loads, stores and products.
/// False if it is none, or a form that is not covered.
bool lowerMatrixIntrinsic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name);

} // namespace warpwright::vdevice
