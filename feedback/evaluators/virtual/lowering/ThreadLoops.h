#pragma once

#include <llvm/IR/IRBuilder.h>

namespace warpwright::vdevice {

/// Builds loops over the threads of a block, in the order of their linear index, around code that is put in
/// between the construction and close().
class ThreadLoops {
public:
  /// Opens the loops where the builder stands, which then stands where a thread begins. `first` is the
  /// context of the block's first thread.
  ThreadLoops(llvm::IRBuilder<> &builder, llvm::Value *first);

  /// The thread's context: a copy that nobody else knows, so that its members can live in registers.
  llvm::Value *context() const { return own_; }
  /// The thread's linear index, 32 bits.
  llvm::Value *linear() const { return linear_[0]; }

  /// Ends a thread where the builder stands, which then stands behind the loops.
  void close();

private:
  llvm::Value *load(size_t offset, llvm::Type *type);
  void store(size_t offset, llvm::Value *value);
  void beginThread(llvm::Value *steps, llvm::Value *local, llvm::Value *localBytes);

  llvm::IRBuilder<> &builder_;
  llvm::Value *first_;
  llvm::AllocaInst *own_ = nullptr;
  llvm::Value *extent_[3] = {};
  llvm::BasicBlock *header_[3] = {};
  llvm::PHINode *index_[3] = {};
  llvm::PHINode *linear_[3] = {};
};

} // namespace warpwright::vdevice
