#include "feedback/evaluators/virtual/lowering/ThreadLoops.h"

#include "feedback/evaluators/virtual/execution/ThreadContext.h"

namespace warpwright::vdevice {
namespace {

llvm::Value *member(llvm::IRBuilder<> &builder, llvm::Value *context, size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), context, offset);
}

} // namespace

llvm::Value *ThreadLoops::load(size_t offset, llvm::Type *type) {
  return builder_.CreateLoad(type, member(builder_, first_, offset));
}

void ThreadLoops::store(size_t offset, llvm::Value *value) {
  builder_.CreateStore(value, member(builder_, own_, offset));
}

/// for z, for y, for x.
ThreadLoops::ThreadLoops(llvm::IRBuilder<> &builder, llvm::Value *first) : builder_(builder), first_(first) {
  llvm::LLVMContext &context = builder.getContext();
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock &entry = function->getEntryBlock();
  own_ = new llvm::AllocaInst(llvm::ArrayType::get(builder.getInt8Ty(), sizeof(ThreadContext)), 0, nullptr,
                              llvm::Align(alignof(ThreadContext)), "", entry.begin());
  builder.CreateMemCpy(own_, own_->getAlign(), first, llvm::Align(alignof(ThreadContext)),
                       sizeof(ThreadContext));
  llvm::Value *steps = load(offsetof(ThreadContext, stepsLeft), builder.getInt64Ty());
  llvm::Value *local = load(offsetof(ThreadContext, local), builder.getPtrTy());
  llvm::Value *localBytes = load(offsetof(ThreadContext, localBytes), builder.getInt64Ty());
  for (unsigned i = 0; i < 3; ++i)
    extent_[i] = load(offsetof(ThreadContext, blockExtent) + i * sizeof(uint32_t), builder.getInt32Ty());
  for (unsigned i = 3; i-- > 0;) {
    llvm::BasicBlock *from = builder.GetInsertBlock();
    header_[i] = llvm::BasicBlock::Create(context, "thread", function);
    builder.CreateBr(header_[i]);
    builder.SetInsertPoint(header_[i]);
    index_[i] = builder.CreatePHI(builder.getInt32Ty(), 2);
    linear_[i] = builder.CreatePHI(builder.getInt32Ty(), 2);
    index_[i]->addIncoming(builder.getInt32(0), from);
    linear_[i]->addIncoming(i == 2 ? static_cast<llvm::Value *>(builder.getInt32(0)) : linear_[i + 1], from);
  }
  beginThread(steps, local, localBytes);
}

void ThreadLoops::beginThread(llvm::Value *steps, llvm::Value *local, llvm::Value *localBytes) {
  for (unsigned i = 0; i < 3; ++i)
    store(offsetof(ThreadContext, thread) + i * sizeof(uint32_t), index_[i]);
  llvm::Value *thread = linear();
  store(offsetof(ThreadContext, linear), thread);
  store(offsetof(ThreadContext, lane), builder_.CreateAnd(thread, 31));
  store(offsetof(ThreadContext, warp), builder_.CreateLShr(thread, 5));
  store(offsetof(ThreadContext, stepsLeft), steps);
  store(offsetof(ThreadContext, recursionTop), builder_.getInt64(0));
  llvm::Value *offset = builder_.CreateMul(builder_.CreateZExt(thread, builder_.getInt64Ty()), localBytes);
  store(offsetof(ThreadContext, local), builder_.CreateGEP(builder_.getInt8Ty(), local, offset));
}

void ThreadLoops::close() {
  llvm::Value *next = builder_.CreateAdd(linear(), builder_.getInt32(1));
  for (unsigned i = 0; i < 3; ++i) {
    llvm::BasicBlock *latch = builder_.GetInsertBlock();
    llvm::Value *advanced = builder_.CreateNUWAdd(index_[i], builder_.getInt32(1));
    index_[i]->addIncoming(advanced, latch);
    linear_[i]->addIncoming(next, latch);
    llvm::BasicBlock *done = llvm::BasicBlock::Create(builder_.getContext(), "done", latch->getParent());
    builder_.CreateCondBr(builder_.CreateICmpULT(advanced, extent_[i]), header_[i], done);
    builder_.SetInsertPoint(done);
  }
}

} // namespace warpwright::vdevice
