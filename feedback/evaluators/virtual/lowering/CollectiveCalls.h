#pragma once

#include "feedback/evaluators/virtual/execution/CollectiveKind.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

namespace warpwright::vdevice {

struct LoweringState;

/// Calls the runtime where lanes or threads meet. `origin` says where that is in the source.
class CollectiveBuilder {
public:
  CollectiveBuilder(LoweringState &state, llvm::IRBuilderBase &builder, const llvm::Instruction &origin)
      : state_(state), builder_(builder), origin_(origin) {}

  /// Low word: the value; bit 32: whether the source lane was in range, or all values matched.
  llvm::Value *collective(CollectiveKind kind, llvm::Value *mask, llvm::Value *value, llvm::Value *second,
                          llvm::Value *third);
  llvm::Value *activeMask();
  /// `count` null: all threads of the block. `predicate` null: none. The result is an i32.
  llvm::Value *barrier(BarrierKind kind, llvm::Value *barrier, llvm::Value *count, llvm::Value *predicate);

private:
  LoweringState &state_;
  llvm::IRBuilderBase &builder_;
  const llvm::Instruction &origin_;
};

/// Lowers the call of an intrinsic ("llvm.nvvm." taken off its name) that is a barrier or a collective of a
/// warp. False if it is none, or a form that is not covered.
bool lowerCollectiveIntrinsic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name);

} // namespace warpwright::vdevice
